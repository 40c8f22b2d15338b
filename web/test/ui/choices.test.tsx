import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { Segmented } from '../../src/ui/Segmented'
import { Switch } from '../../src/ui/Switch'

const views = [
  { value: 'table', label: 'Table' },
  { value: 'tree', label: 'Tree' },
  { value: 'json', label: 'JSON' },
] as const
type View = (typeof views)[number]['value']

/** Two groups with the same choices, and a button before, between and after them. */
function Views() {
  const [left, setLeft] = useState<View>('tree')
  const [right, setRight] = useState<View>('table')
  return (
    <>
      <button>Before</button>
      <Segmented<View> label="Left" value={left} choices={views} onChange={setLeft} />
      <button>Between</button>
      <Segmented<View> label="Right" value={right} choices={views} onChange={setRight} />
    </>
  )
}

/** The chosen ones of both groups. */
const chosen = (): (string | undefined)[] =>
  screen
    .getAllByRole<HTMLInputElement>('radio')
    .filter(({ checked }) => checked)
    .map(({ labels }) => labels?.[0]?.textContent)

test('a Segmented is a named group of radio buttons', () => {
  render(<Views />)
  expect(screen.getByRole('radiogroup', { name: 'Left' }).textContent).toBe('TableTreeJSON')
  expect(screen.getAllByRole('radio', { name: 'JSON' })).toHaveLength(2)
  expect(chosen()).toEqual(['Tree', 'Table'])
})

test('arrows move within a Segmented, around its ends, and leave the other one alone', async () => {
  const user = userEvent.setup()
  render(<Views />)
  screen.getByText('Before').focus()
  await user.tab()
  for (const [key, left] of [
    ['ArrowRight', 'JSON'],
    ['ArrowRight', 'Table'],
    ['ArrowLeft', 'JSON'],
    ['ArrowUp', 'Tree'],
    ['ArrowDown', 'JSON'],
  ]) {
    await user.keyboard(`{${key}}`)
    expect(chosen()).toEqual([left, 'Table'])
  }
})

test('Tab takes a Segmented in one step, at the chosen one', async () => {
  const user = userEvent.setup()
  render(<Views />)
  screen.getByText('Before').focus()
  await user.tab()
  expect(document.activeElement).toBe(screen.getAllByRole('radio', { name: 'Tree' })[0])
  await user.tab()
  expect(document.activeElement).toBe(screen.getByText('Between'))
})

test('a click on the words of a choice chooses it', async () => {
  const user = userEvent.setup()
  render(<Views />)
  await user.click(screen.getAllByText('JSON')[1] ?? document.body)
  expect(chosen()).toEqual(['Tree', 'JSON'])
})

function SetIndex({ disabled = false }: { disabled?: boolean }) {
  const [on, setOn] = useState(false)
  return (
    <Switch label="Set index of events" checked={on} onChange={setOn} disabled={disabled}>
      {on ? 'on' : 'off'}
    </Switch>
  )
}

const state = (): string | null =>
  screen.getByRole('switch', { name: 'Set index of events' }).getAttribute('aria-checked')

test('a switch says its name and state, and goes on and off by pointer and keyboard', async () => {
  const user = userEvent.setup()
  render(<SetIndex />)
  expect(state()).toBe('false')
  await user.click(screen.getByRole('switch'))
  expect(state()).toBe('true')
  await user.keyboard(' ')
  expect(state()).toBe('false')
  await user.keyboard('{Enter}')
  expect(state()).toBe('true')
})

test('a switch that is disabled stays', async () => {
  const user = userEvent.setup()
  render(<SetIndex disabled />)
  await user.click(screen.getByRole('switch'))
  await user.tab()
  await user.keyboard(' ')
  expect(state()).toBe('false')
})

test('a switch sends no form', async () => {
  const user = userEvent.setup()
  const onSubmit = vi.fn<(event: React.FormEvent) => void>((event) => event.preventDefault())
  render(
    <form onSubmit={onSubmit}>
      <SetIndex />
    </form>,
  )
  await user.click(screen.getByRole('switch'))
  expect(onSubmit).not.toHaveBeenCalled()
})
