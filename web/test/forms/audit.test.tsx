import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { AuditPage } from '../../src/pages/audit/AuditPage'
import { changesOf, targetOf, titleOf } from '../../src/pages/audit/changes'
import { askedOf, readAuditSearch } from '../../src/pages/audit/search'
import { type Answers, Gateway, json } from './gateway'
import { show } from './page'

const LIST = 'GET /api/v1/audit'
const VERIFY = 'GET /api/v1/audit/verify'
const hash = 'f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2'
const head = { seq: 42, hash, bytes: 18_402 }
const changed = {
  seq: 42,
  at: '2026-11-26T12:00:00Z',
  kind: 'outcome',
  operation: 'updateSet',
  outcome: 'ok',
  who: 'token:deploy',
  address: '10.1.2.3',
  namespace: 'shop',
  set: 'events',
  before: { limits: { maxRecords: 0, maxBytes: 9 } },
  after: { limits: { maxRecords: 7, maxBytes: 9 } },
  hash,
} as const
const refused = { ...changed, seq: 40, operation: 'dropNamespace', outcome: 'refused', code: 'role_required', count: 3 }
const started = { seq: 1, at: '2026-11-26T11:00:00Z', kind: 'start', hash }

async function open(answers: Answers = {}, address = '/audit') {
  const gateway = new Gateway({
    [LIST]: { items: [changed, refused, started], truncated: false, limit: 100, head },
    ...answers,
  })
  return { gateway, ...(await show(AuditPage, '/audit', address)) }
}

test('entries say who did what, and how settings have changed', async () => {
  await open()
  await screen.findByText('updateSet')
  const rows = screen.getAllByRole('row').map((row) => row.textContent)
  expect(rows.find((row) => row.includes('updateSet'))).toMatch(
    /ok.*token:deploy.*shop \/ events.*limits\.maxRecords 0 7/,
  )
  expect(rows.find((row) => row.includes('dropNamespace'))).toMatch(/3 times.*role_required/)
  expect(rows.find((row) => row.includes('server started'))).toBeDefined()
  expect(screen.getByRole('link', { name: 'Export' }).getAttribute('href')).toBe('/api/v1/audit/export')
})

test('filters go into the address and to the server', async () => {
  const { gateway, user, drawn } = await open()
  await screen.findByText('updateSet')
  await user.selectOptions(screen.getByRole('combobox', { name: 'Outcome' }), 'refused')
  await user.type(screen.getByLabelText('Who'), 'token:deploy')
  await user.click(screen.getByRole('button', { name: 'Find' }))
  await waitFor(() => expect(drawn()).toContain('who=token%3Adeploy'))
  expect(drawn()).toContain('outcome=refused')
  await waitFor(() =>
    expect(Object.fromEntries(gateway.sent.findLast(({ line }) => line === LIST)?.query ?? [])).toEqual({
      who: 'token:deploy',
      outcome: 'refused',
    }),
  )
})

test('older entries follow on demand, also if the newest do not match', async () => {
  const { user } = await open({
    [LIST]: ({ query }) =>
      json(
        query.has('cursor')
          ? { items: [refused], truncated: false, limit: 100, head }
          : { items: [], truncated: true, cursor: 'next', limit: 100, head },
      ),
  })
  await screen.findByText('None of the newest entries matches.')
  await user.click(screen.getByRole('button', { name: 'Older' }))
  expect((await screen.findByText('dropNamespace')).closest('tr')?.textContent).toContain('role_required')
})

test('the log is verified against a hash that was kept', async () => {
  const fault = { file: 'audit/000002.log', line: 3, seq: 17, message: 'its hash is wrong' }
  const report = { segments: 1, entries: 42, bytes: 18_402, head }
  const { gateway, user } = await open({
    [VERIFY]: ({ query }) =>
      json(query.has('head') ? { ok: false, ...report, fault } : { ok: true, ...report, removedSegments: 2 }),
  })
  await user.click(await screen.findByRole('button', { name: 'Verify' }))
  await screen.findByText('42 entries as written; 2 older files removed by the retention')
  await user.type(screen.getByLabelText('A hash that you kept'), 'abc')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Verify' }).disabled).toBe(true)
  await user.clear(screen.getByLabelText('A hash that you kept'))
  await user.type(screen.getByLabelText('A hash that you kept'), hash)
  await user.click(screen.getByRole('button', { name: 'Verify' }))
  await screen.findByText('audit/000002.log, line 3, entry 17: its hash is wrong')
  expect(gateway.sent.findLast(({ line }) => line === VERIFY)?.query.get('head')).toBe(hash)
})

test('an address that says nothing of ours shows all entries', () => {
  const read = (raw: object) => readAuditSearch(raw as Parameters<typeof readAuditSearch>[0])
  expect(read({ outcome: 'good', since: '3d', ns: 17 })).toEqual({ ns: '17' })
  expect(askedOf(read({ since: '1h', ns: 'shop' }))).toMatchObject({ namespace: 'shop', sinceSeconds: 3600 })
})

test('what was made or dropped has all its settings, and an entry of the log has words', () => {
  expect(changesOf({ ...changed, before: { role: 'reader' }, after: undefined })).toEqual([
    { name: 'role', before: 'reader', after: undefined },
  ])
  expect(targetOf({ ...changed, object: 'by-age' })).toBe('shop / events / by-age')
  expect([titleOf(started), titleOf({ ...started, kind: 'later' })]).toEqual(['server started', 'later'])
})
