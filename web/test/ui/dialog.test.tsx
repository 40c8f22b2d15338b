import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { Dialog } from '../../src/ui/Dialog'
import { TextField } from '../../src/ui/inputs'

const onClose = vi.fn<() => void>()

/** A page with a button that opens a dialog. `mounted`: the dialog is there only while it is open, as some pages have it. */
function Page({ mounted = false, field = false }: { mounted?: boolean; field?: boolean }) {
  const [open, setOpen] = useState(false)
  const close = (): void => {
    onClose()
    setOpen(false)
  }
  return (
    <>
      <button onClick={() => setOpen(true)}>Limits…</button>
      {(open || !mounted) && (
        <Dialog title="Limits of events" open={open} onClose={close}>
          {field && <TextField label="Records" value="" onChange={() => undefined} autoFocus />}
          <p>Writes beyond a limit are refused.</p>
        </Dialog>
      )}
    </>
  )
}

const opener = (): HTMLElement => screen.getByText('Limits…')
const dialog = (): HTMLElement | null => screen.queryByRole('dialog', { name: 'Limits of events' })

async function open(page: React.ReactElement) {
  onClose.mockClear()
  const user = userEvent.setup()
  render(page)
  await user.click(opener())
  return user
}

test('a closed dialog is not there for anybody', () => {
  render(<Page />)
  expect(dialog()).toBeNull()
  expect(screen.queryByText('Writes beyond a limit are refused.')).toBeNull()
})

test('an open dialog has its title as its name, and begins there', async () => {
  await open(<Page />)
  expect(dialog()?.textContent).toContain('Writes beyond a limit are refused.')
  expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Limits of events' }))
})

test.each([false, true])('a field that asks for the focus gets it, mounted when opened: %s', async (mounted) => {
  await open(<Page field mounted={mounted} />)
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Records' }))
})

const outside = (): Element => document.querySelector('.backdrop') ?? document.body

const ways: [string, (user: ReturnType<typeof userEvent.setup>) => Promise<void>][] = [
  ['Escape', (user) => user.keyboard('{Escape}')],
  ['the button', (user) => user.click(screen.getByRole('button', { name: 'Close' }))],
  ['a click outside', (user) => user.click(outside())],
]

for (const mounted of [false, true]) {
  test.each(ways)(`%s closes it once and gives the focus back, mounted when opened: ${mounted}`, async (_, close) => {
    const user = await open(<Page mounted={mounted} />)
    await close(user)
    expect(dialog()).toBeNull()
    expect(onClose).toHaveBeenCalledTimes(1)
    await waitFor(() => expect(document.activeElement).toBe(opener()))
  })
}

test('it opens again after it was closed', async () => {
  const user = await open(<Page />)
  await user.keyboard('{Escape}')
  await user.click(opener())
  expect(dialog()).not.toBeNull()
})

test('a selection that is dragged out of the dialog does not close it', async () => {
  const user = await open(<Page field />)
  await user.pointer([
    { keys: '[MouseLeft>]', target: screen.getByRole('textbox', { name: 'Records' }) },
    { keys: '[/MouseLeft]', target: outside() },
  ])
  expect(dialog()).not.toBeNull()
})

test('a dialog that makes way for another does not close it', async () => {
  function Two() {
    const [shown, show] = useState<'save' | 'open'>()
    const close = (): void => show(undefined)
    return (
      <>
        <button onClick={() => show('save')}>Save…</button>
        <Dialog title="Save this query" open={shown === 'save'} onClose={close}>
          <button onClick={() => show('open')}>Open another</button>
        </Dialog>
        <Dialog title="Queries" open={shown === 'open'} onClose={close}>
          <p>None yet.</p>
        </Dialog>
      </>
    )
  }
  const user = userEvent.setup()
  render(<Two />)
  await user.click(screen.getByText('Save…'))
  await user.click(screen.getByRole('button', { name: 'Open another' }))
  expect(screen.queryByRole('dialog', { name: 'Queries' })).not.toBeNull()
})
