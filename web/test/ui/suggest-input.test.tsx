import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { Dialog } from '../../src/ui/Dialog'
import { Field } from '../../src/ui/Field'
import { TextField } from '../../src/ui/inputs'
import { SuggestInput } from '../../src/ui/SuggestInput'

const bins = ['actor', 'payload', 'payload_size', 'repo']

function Fields() {
  const [bin, setBin] = useState('')
  const [name, setName] = useState('')
  return (
    <>
      <Field label="Bin">{(control) => <SuggestInput {...control} names={bins} value={bin} onChange={setBin} />}</Field>
      <TextField label="Name" value={name} onChange={setName} />
    </>
  )
}

const field = (name: string): HTMLInputElement => screen.getByRole(name === 'Bin' ? 'combobox' : 'textbox', { name })
const options = (): (string | null)[] => screen.queryAllByRole('option').map(({ textContent }) => textContent)

function inDialog() {
  const onClose = vi.fn()
  const user = userEvent.setup()
  render(
    <>
      <p>the page</p>
      <Dialog title="Create an index" open onClose={onClose}>
        <Fields />
      </Dialog>
    </>,
  )
  return { user, onClose }
}

test('names are suggested by what is typed, and chosen by keyboard', async () => {
  const user = userEvent.setup()
  render(<Fields />)
  await user.type(field('Bin'), 'pay')
  await waitFor(() => expect(options()).toEqual(['payload', 'payload_size']))
  await user.keyboard('{ArrowDown}{Enter}')
  await waitFor(() => expect(options()).toEqual([]))
  expect([field('Bin').value, document.activeElement]).toEqual(['payload', field('Bin')])
})

test('a name that is no suggestion stays, and one in full is not suggested', async () => {
  const user = userEvent.setup()
  render(<Fields />)
  await user.type(field('Bin'), 'repo')
  expect(options()).toEqual([])
  await user.type(field('Bin'), '_id')
  await user.tab()
  expect([field('Bin').value, document.activeElement]).toEqual(['repo_id', field('Name')])
})

test('in a dialog, the other fields stay readable while names are suggested, and the page behind does not', async () => {
  const { user } = inDialog()
  await user.click(field('Bin'))
  await waitFor(() => expect(options()).toEqual(bins))
  expect(field('Name').value).toBe('')
  expect(screen.getByRole('button', { name: 'Close' }).closest('[aria-hidden]')).toBeNull()
  expect(screen.getByText('the page').closest('[aria-hidden=true]')).not.toBeNull()
  await user.type(field('Name'), 'by-repo')
  await waitFor(() => expect(options()).toEqual([]))
  expect(document.querySelector('body > [aria-live=off]')).toBeNull()
})

test('Escape closes the suggestions first, then the dialog', async () => {
  const { user, onClose } = inDialog()
  await user.type(field('Bin'), 'pay')
  await waitFor(() => expect(options()).toEqual(['payload', 'payload_size']))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(options()).toEqual([]))
  expect([field('Bin').value, onClose.mock.calls.length]).toEqual(['pay', 0])
  await user.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
})

test('a field that goes while it suggests leaves the page as it was', async () => {
  const user = userEvent.setup()
  const { unmount } = render(<Fields />)
  await user.click(field('Bin'))
  await waitFor(() => expect(options()).toEqual(bins))
  expect(document.querySelectorAll('body > [aria-live=off]')).toHaveLength(1)
  unmount()
  expect(document.querySelectorAll('[aria-live=off]')).toHaveLength(0)
})
