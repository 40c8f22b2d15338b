import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { Confirm } from '../../src/ui/Confirm'

interface Props {
  typed?: string
  busy?: boolean
  onConfirm: () => void
}

function Page({ onConfirm, ...rest }: Props) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button onClick={() => setOpen(true)}>Drop shop…</button>
      <Confirm
        {...rest}
        title="Drop shop"
        action="Drop namespace"
        open={open}
        onClose={() => setOpen(false)}
        onConfirm={onConfirm}
      >
        <p>Deletes the namespace with 12 records.</p>
      </Confirm>
    </>
  )
}

async function open(props: Omit<Props, 'onConfirm'>) {
  const user = userEvent.setup()
  const onConfirm = vi.fn<() => void>()
  const { rerender } = render(<Page {...props} onConfirm={onConfirm} />)
  await user.click(screen.getByText('Drop shop…'))
  return { user, onConfirm, change: (next: typeof props) => rerender(<Page {...next} onConfirm={onConfirm} />) }
}

const field = (): HTMLInputElement => screen.getByRole('textbox', { name: 'Type shop to confirm' })
const action = (): HTMLButtonElement => screen.getByRole('button', { name: 'Drop namespace' })

test('only the exact name enables the action', async () => {
  const { user, onConfirm } = await open({ typed: 'shop' })
  expect(document.activeElement).toBe(field())
  for (const text of ['sho', 'Shop', 'shops', ' shop']) {
    await user.clear(field())
    await user.type(field(), `${text}{Enter}`)
    expect(action().disabled).toBe(true)
    fireEvent.submit(action())
  }
  expect(onConfirm).not.toHaveBeenCalled()
  await user.clear(field())
  await user.type(field(), 'shop')
  expect(action().disabled).toBe(false)
  await user.click(action())
  expect(onConfirm).toHaveBeenCalledTimes(1)
})

test('Enter confirms from the field', async () => {
  const { user, onConfirm } = await open({ typed: 'shop' })
  await user.keyboard('shop{Enter}')
  expect(onConfirm).toHaveBeenCalledTimes(1)
})

test('what runs already is not started again, and the action keeps the focus', async () => {
  const { user, onConfirm, change } = await open({ typed: 'shop' })
  await user.keyboard('shop')
  change({ typed: 'shop', busy: true })
  await user.keyboard('{Enter}')
  await user.click(action())
  await user.keyboard('{Enter}')
  expect(document.activeElement).toBe(action())
  expect(field().value).toBe('shop')
  expect(onConfirm).not.toHaveBeenCalled()
})

test.each(['Cancel', 'Close'])('%s confirms nothing, and the name has to be typed again', async (name) => {
  const { user, onConfirm } = await open({ typed: 'shop' })
  await user.keyboard('shop')
  await user.click(screen.getByRole('button', { name }))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(onConfirm).not.toHaveBeenCalled()
  await user.click(screen.getByText('Drop shop…'))
  expect(field().value).toBe('')
  expect(action().disabled).toBe(true)
})

test('a harmless action asks for no name', async () => {
  const { user, onConfirm } = await open({})
  expect(screen.queryByRole('textbox')).toBeNull()
  await user.click(action())
  expect(onConfirm).toHaveBeenCalledTimes(1)
})
