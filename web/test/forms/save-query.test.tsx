import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { SaveDialog } from '../../src/pages/query/SaveDialog'
import { Gateway, json, refusal } from './gateway'
import { opened, show } from './page'

const Save = opened(({ open, onClose }) => (
  <SaveDialog open={open} ns="shop" text="{}" saved={undefined} onClose={onClose} onSaved={() => undefined} />
))

test('a name that is taken can be replaced, or changed', async () => {
  const kept = { id: 'q1', name: 'Daily', namespace: 'shop', request: '{"limit":1}' }
  const gateway = new Gateway({
    'GET /api/v1/queries': { items: [{ ...kept, id: 'q0', namespace: 'logs' }, kept] },
    'POST /api/v1/queries': () => refusal(409, 'query_exists', 'A query is saved as Daily.', 'name'),
    'PUT /api/v1/queries/q1': () => json(kept),
  })
  const { user } = await show(Save)
  const name = await screen.findByLabelText('Name')
  await user.type(name, 'Daily{Enter}')
  await screen.findByText('A query is saved as Daily.')
  screen.getByText('Choose another name, or replace the saved query.')
  await screen.findByRole('button', { name: 'Replace the saved query Daily' })
  await user.type(name, ' report')
  expect(screen.queryByRole('button', { name: 'Replace the saved query Daily' })).toBeNull()
  await user.clear(name)
  await user.type(name, 'Daily')
  await user.click(screen.getByRole('button', { name: 'Replace the saved query Daily' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.bodies('PUT /api/v1/queries/q1')).toEqual([{ name: 'Daily', namespace: 'shop', request: '{}' }])
})
