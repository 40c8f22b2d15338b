import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { Button } from '../../src/ui/Button'

const onSubmit = vi.fn<(event: React.FormEvent) => void>((event) => event.preventDefault())
const onClick = vi.fn<() => void>()
const onRow = vi.fn<() => void>()

beforeEach(() => vi.clearAllMocks())

/** A form in something that takes clicks too, such as a row of a table. */
function page(button: React.ReactElement) {
  return (
    <div role="presentation" onClick={onRow}>
      <form onSubmit={onSubmit}>{button}</form>
    </div>
  )
}

const button = (): HTMLButtonElement => screen.getByRole('button', { name: 'Save' })

test('a button sends a form only if it says so', async () => {
  const user = userEvent.setup()
  const { rerender } = render(page(<Button onClick={onClick}>Save</Button>))
  await user.click(button())
  expect(onClick).toHaveBeenCalledTimes(1)
  expect(onSubmit).not.toHaveBeenCalled()
  rerender(page(<Button type="submit">Save</Button>))
  await user.click(button())
  expect(onSubmit).toHaveBeenCalledTimes(1)
})

test('a busy button says so, keeps the focus, and takes neither clicks nor keys', async () => {
  const user = userEvent.setup()
  const save = (busy: boolean) => (
    <Button type="submit" busy={busy} onClick={onClick}>
      Save
    </Button>
  )
  const { rerender } = render(page(save(false)))
  await user.click(button())
  vi.clearAllMocks()
  rerender(page(save(true)))
  expect(button().getAttribute('aria-busy')).toBe('true')
  expect(button().getAttribute('aria-disabled')).toBe('true')
  expect(button().disabled).toBe(false)
  await user.click(button())
  await user.keyboard('{Enter} ')
  expect(document.activeElement).toBe(button())
  for (const mock of [onClick, onSubmit, onRow]) expect(mock).not.toHaveBeenCalled()
  rerender(page(save(false)))
  expect(button().getAttribute('aria-disabled')).toBeNull()
  await user.keyboard('{Enter}')
  expect(onSubmit).toHaveBeenCalledTimes(1)
})

test('a disabled button takes no clicks and is no stop of Tab', async () => {
  const user = userEvent.setup()
  render(
    page(
      <Button disabled onClick={onClick}>
        Save
      </Button>,
    ),
  )
  await user.click(button())
  await user.tab()
  expect(document.activeElement).not.toBe(button())
  expect(onClick).not.toHaveBeenCalled()
})
