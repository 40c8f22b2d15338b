import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { RecordSet } from '../../src/api/types'
import { SetLimitsDialog } from '../../src/pages/namespaces/detail/sets/SetLimitsDialog'
import { type Answers, Gateway, refusal } from './gateway'
import { opened, show } from './page'

const APPLY = 'PATCH /api/v1/namespaces/shop/sets/events'
const set: RecordSet = {
  name: 'events',
  records: 1200,
  bytes: 900,
  index: { state: 'off', bytes: 0 },
  limits: { maxRecords: 5000, maxBytes: 0 },
}

async function open(answers: Answers = {}) {
  const gateway = new Gateway({ [APPLY]: set, ...answers })
  const { user } = await show(
    opened(({ open: shown, onClose }) => (shown ? <SetLimitsDialog ns="shop" set={set} onClose={onClose} /> : null)),
  )
  return { gateway, user }
}

const field = (name: string): HTMLInputElement => screen.getByLabelText(name)
const apply = (): HTMLButtonElement => screen.getByRole('button', { name: 'Apply' })
const hintOf = (name: string): string => {
  const id = field(name).getAttribute('aria-describedby')?.split(' ')[0] ?? ''
  return document.getElementById(id)?.textContent ?? ''
}

test('shows the limits there are, and sends both; an empty field is no limit', async () => {
  const { gateway, user } = await open()
  expect([field('Maximum records').value, field('Maximum bytes').value]).toEqual(['5,000', ''])
  await user.clear(field('Maximum records'))
  await user.type(field('Maximum bytes'), '512')
  expect(hintOf('Maximum bytes')).toBe('512 B; it has 900 B now')
  await user.click(apply())
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.bodies(APPLY)).toEqual([{ limits: { maxRecords: 0, maxBytes: 512 } }])
})

test.each(['-1', '1.5', '1e3', 'many'])('“%s” is no limit that can be sent', async (text) => {
  const { gateway, user } = await open()
  await user.type(field('Maximum bytes'), text)
  expect(screen.getByRole('alert').textContent).toBe('A whole number')
  expect(hintOf('Maximum bytes')).toBe('It has 900 B now')
  expect(apply().disabled).toBe(true)
  await user.keyboard('{Enter}')
  expect(gateway.bodies(APPLY)).toEqual([])
})

test('a refusal leaves the dialog open with what was typed', async () => {
  const { user } = await open({ [APPLY]: () => refusal(404, 'set_not_found', 'There is no set events.') })
  await user.type(field('Maximum bytes'), '7')
  await user.click(apply())
  await screen.findByText('There is no set events.')
  expect([field('Maximum bytes').value, apply().disabled]).toEqual(['7', false])
})
