import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { ScrollTable } from '../../src/table/ScrollTable'
import { TableRow } from '../../src/table/TableRow'
import { Button } from '../../src/ui/Button'
import { Dialog } from '../../src/ui/Dialog'
import { Tip } from '../../src/ui/Tip'
import { saidOf } from './description'

const tips = (): (string | null)[] => [...document.querySelectorAll('.tip')].map(({ textContent }) => textContent)

test('a control shows its tip with the focus, and Escape hides it', async () => {
  const user = userEvent.setup()
  render(
    <Tip text="Keeps this span">
      <Button>Pin</Button>
    </Tip>,
  )
  expect(saidOf(screen.getByRole('button'))).toBe('Keeps this span')
  await user.tab()
  await waitFor(() => expect(tips()).toEqual(['Keeps this span']))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(tips()).toEqual([]))
  expect(document.activeElement).toBe(screen.getByRole('button'))
})

test('text takes the focus for its tip, and shows it under the pointer', async () => {
  const user = userEvent.setup()
  render(
    <Tip text="the disk is full">
      <span>writes stopped</span>
    </Tip>,
  )
  await user.hover(screen.getByText('writes stopped'))
  await waitFor(() => expect(tips()).toEqual(['the disk is full']))
  await user.unhover(screen.getByText('writes stopped'))
  await waitFor(() => expect(tips()).toEqual([]))
  await user.tab()
  expect(document.activeElement).toBe(screen.getByText('writes stopped'))
  await waitFor(() => expect(tips()).toEqual(['the disk is full']))
})

test.each([undefined, ''])('text without a tip (%o) takes no focus', async (text) => {
  const user = userEvent.setup()
  render(
    <Tip text={text}>
      <span>open</span>
    </Tip>,
  )
  await user.tab()
  await user.hover(screen.getByText('open'))
  expect([document.activeElement, tips()]).toEqual([document.body, []])
  expect(saidOf(screen.getByText('open'))).toBeNull()
})

test('a name or a text is not said twice', () => {
  render(
    <>
      <Tip text="Alerts">
        <Button aria-label="Alerts" />
      </Tip>
      <Tip cut text="a text that is cut off">
        <code>a text that is cut off</code>
      </Tip>
    </>,
  )
  expect(document.querySelectorAll('[aria-description]')).toHaveLength(0)
})

test('in a dialog, Escape hides the tip first', async () => {
  const user = userEvent.setup()
  const onClose = vi.fn()
  render(
    <Dialog title="Alerts" open onClose={onClose}>
      <Tip text="said more fully">
        <span>short</span>
      </Tip>
    </Dialog>,
  )
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading')))
  await user.tab()
  await user.tab()
  expect(document.activeElement).toBe(screen.getByText('short'))
  await waitFor(() => expect(tips()).toEqual(['said more fully']))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(tips()).toEqual([]))
  expect(onClose).not.toHaveBeenCalled()
  await user.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
})

test('in a table, tips are no stops of Tab: the arrows lead from the row to them', async () => {
  const user = userEvent.setup()
  const cell = (name: string) => ({
    name,
    cell: () => (
      <Tip text={`${name}, exactly`}>
        <span>{name}</span>
      </Tip>
    ),
  })
  const columns = ['since', 'until'].map((name) => ({ id: name, def: cell(name) }))
  render(
    <ScrollTable label="Times">
      <tbody>
        <TableRow columns={columns} row={0} />
      </tbody>
    </ScrollTable>,
  )
  const row = screen.getByRole('row')
  await user.tab()
  await user.keyboard('{ArrowDown}')
  expect(document.activeElement).toBe(row)
  await user.keyboard('{ArrowRight}{ArrowRight}')
  expect(document.activeElement).toBe(screen.getByText('until'))
  await waitFor(() => expect(tips()).toEqual(['until, exactly']))
  await user.keyboard('{ArrowRight}')
  expect(document.activeElement).toBe(screen.getByText('until'))
  await user.keyboard('{ArrowLeft}{ArrowLeft}')
  expect(document.activeElement).toBe(row)
  await waitFor(() => expect(tips()).toEqual([]))
})
