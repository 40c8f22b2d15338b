import { screen, within } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import { SetsTab } from '../../src/pages/namespaces/detail/sets/SetsTab'
import { Toasts } from '../../src/ui/toast'
import { type Answers, Gateway, json, refusal } from './gateway'
import { show } from './page'

const status = { cpus: 8, environment: 'development', undoSeconds: 600 }
const shop = (undoTruncate: boolean) => ({
  name: 'shop',
  state: 'ready',
  records: 1200,
  capabilities: { counts: 'exact', missing: [], undoTruncate },
  config: { storage: { engine: 'memory' }, segments: 1 },
})
const truncation = {
  id: '001m872xz2100',
  set: 'events',
  before: '2026-01-31T11:00:00.000Z',
  truncatedAt: '2026-01-31T12:00:00.000Z',
  until: '2026-01-31T12:10:00.000Z',
  records: 1200,
  bytes: 64_000,
}
const events = { name: 'events', records: 1200, bytes: 64_000, index: { state: 'off', bytes: 0 }, limits: {} }
const job = { id: truncation.id, kind: 'truncate', namespace: 'shop', set: 'events', state: 'done', parameters: {} }
const undo = `POST /api/v1/namespaces/shop/truncations/${truncation.id}/undo`

async function open(undoable: boolean, answers: Answers = {}) {
  const gateway = new Gateway({
    'GET /api/v1/status': status,
    'GET /api/v1/namespaces/shop': () => Response.json(shop(undoable), { headers: { etag: '"1"' } }),
    'GET /api/v1/namespaces/shop/sets': { items: [events], total: { sets: 1, records: 1200, bytes: 64_000 } },
    'DELETE /api/v1/namespaces/shop/sets/events': ({ query }) =>
      query.get('dryRun') === 'true'
        ? json({ records: 1200, bytes: 64_000, indexes: 0, undoable })
        : json({ ...job, parameters: query.get('forGood') === 'true' ? {} : { undoUntil: truncation.until } }, 202),
    [undo]: () => json(job, 202),
    ...answers,
  })
  const around = ({ children }: { children: ReactNode }) => (
    <>
      {children}
      <Toasts />
    </>
  )
  const { user } = await show(SetsTab, '/namespaces/$ns/sets', '/namespaces/shop/sets', around)
  return { gateway, user }
}

async function truncate(user: Awaited<ReturnType<typeof open>>['user'], forGood: boolean): Promise<void> {
  const dialog = within(await screen.findByRole('dialog'))
  if (forGood) await user.click(await dialog.findByRole('switch', { name: 'Delete for good at once' }))
  await user.type(dialog.getByRole('textbox'), 'events')
  await user.click(dialog.getByRole('button', { name: 'Delete all records' }))
}

test('a truncation says until when it can be undone, and offers that', async () => {
  const { gateway, user } = await open(true)
  await user.click(await screen.findByRole('button', { name: 'Truncate…' }))
  expect(await screen.findByText(/It can be undone for 10/)).toBeTruthy()
  await truncate(user, false)
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('The records of events are back')).toBeTruthy()
  expect(gateway.sent.map(({ line }) => line)).toContain(undo)
})

test('one for good offers no undo', async () => {
  const { gateway, user } = await open(true)
  await user.click(await screen.findByRole('button', { name: 'Truncate…' }))
  await truncate(user, true)
  expect(await screen.findByText('Truncating events: see Jobs')).toBeTruthy()
  const sent = gateway.sent.filter(({ line }) => line.startsWith('DELETE')).map(({ query }) => query.get('forGood'))
  expect(sent).toEqual([null, 'true'])
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
})

test('a cluster says before that it cannot be undone', async () => {
  const { user } = await open(false)
  await user.click(await screen.findByRole('button', { name: 'Truncate…' }))
  expect(await screen.findByText('This cannot be undone: the records are on a cluster.')).toBeTruthy()
  expect(screen.queryByRole('switch', { name: 'Delete for good at once' })).toBeNull()
})

test('the list undoes one, and makes one final by its name', async () => {
  const settle = `DELETE /api/v1/namespaces/shop/truncations/${truncation.id}`
  const { gateway, user } = await open(true, {
    'GET /api/v1/namespaces/shop/truncations': { items: [truncation] },
    [undo]: () => refusal(404, 'truncation_not_found', 'it is final by now'),
    [settle]: () => json(job, 202),
  })
  const list = within(await screen.findByRole('table', { name: 'Truncations of shop' }))
  await user.click(list.getByRole('button', { name: 'Undo' }))
  expect(await screen.findByText(/it is final by now/)).toBeTruthy()
  await user.click(list.getByRole('button', { name: 'Delete…' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.type(dialog.getByRole('textbox'), 'events')
  await user.click(dialog.getByRole('button', { name: 'Delete for good' }))
  expect(await screen.findByText('Removing what was truncated in events: see Jobs')).toBeTruthy()
  expect(gateway.sent.find(({ line }) => line === settle)?.headers.get('x-confirm')).toBe('events')
})
