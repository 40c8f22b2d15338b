import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { queryClient } from '../../src/api/query-client'
import { beginList } from '../../src/pages/records/list/begin-list'
import { RecordsPage } from '../../src/pages/records/RecordsPage'
import { Gateway, json, refusal } from './gateway'
import { show } from './page'

const RECORDS = '/api/v1/namespaces/shop/sets/events/records'
const ADDRESS = '/records?ns=shop&set=events'

beforeEach(() => localStorage.clear())

const record = (key: string | number | undefined, generation = 1) => ({
  ...(key !== undefined && { key }),
  digest: `d-${key ?? 'none'}`,
  generation,
  expiresAt: null,
  updatedAt: '2026-11-24T15:35:29.174Z',
  bins: { n: 1 },
})

test('a page that is being read does not say that it has no records', async () => {
  let answer: (response: Response) => void = () => expect.unreachable('nothing was asked')
  const asked = new Promise<void>((resolve) => {
    const gateway = new Gateway({
      [`GET ${RECORDS}`]: () =>
        new Promise<Response>((done) => {
          answer = done
          resolve()
        }),
    })
    expect(gateway.sent).toEqual([])
  })
  await show(RecordsPage, '/records', ADDRESS)
  await asked
  expect(screen.queryByText(/0 records/)).toBeNull()
  answer(json({ items: [record('a')] }))
  expect(await screen.findByText('1 record')).toBeDefined()
})

test('a route begins to read the first records of the biggest set, and none of a filter', async () => {
  const gateway = new Gateway({ [`GET ${RECORDS}`]: { items: [record('a')] } })
  const read = (): string[] =>
    gateway.sent.filter(({ line }) => line === `GET ${RECORDS}`).map(({ query }) => `${query}`)
  await beginList({ ns: 'shop', set: 'events', where: '{"bin":"n","op":"exists"}' })
  expect(read()).toEqual([])
  await beginList({})
  await waitFor(() => expect(read()).toEqual(['limit=60']))
  queryClient.clear()
})

test('selected records are deleted as they were listed, and the report names what stayed', async () => {
  const gateway = new Gateway({
    [`GET ${RECORDS}`]: { items: [record('a', 3), record('b', 5), record(7, 9)] },
    [`DELETE ${RECORDS}/a`]: () => new Response(null, { status: 204 }),
    [`DELETE ${RECORDS}/b`]: () => new Response(null, { status: 204 }),
    [`DELETE ${RECORDS}/7`]: () => refusal(412, 'generation_mismatch', 'the generation is 10, expected 9'),
  })
  const { user } = await show(RecordsPage, '/records', ADDRESS)
  await screen.findByText('3 records')
  await user.click(screen.getByRole('checkbox', { name: 'Select all rows that are loaded' }))
  await user.click(screen.getByRole('button', { name: 'Delete…' }))
  await user.click(await screen.findByRole('button', { name: 'Delete 3 records' }))
  expect(await screen.findByText(/2 records deleted, 1 failed/)).toBeDefined()
  const failed = screen.getByRole('table', { name: 'Failed records' })
  expect(failed.getAttribute('aria-rowcount')).toBe('2')
  const deletions = gateway.sent.filter(({ line }) => line.startsWith('DELETE'))
  expect(deletions.map(({ line, headers }) => [line, headers.get('if-match')])).toEqual([
    [`DELETE ${RECORDS}/a`, '"3"'],
    [`DELETE ${RECORDS}/b`, '"5"'],
    [`DELETE ${RECORDS}/7`, '"9"'],
  ])
  await user.click(within(screen.getByRole('dialog')).getAllByRole('button', { name: 'Close' })[0] ?? document.body)
  expect(screen.getByRole('status').textContent).toContain('1 selected')
})

test('a bin of many records is set by one batch, and one without a key by itself', async () => {
  const gateway = new Gateway({
    [`GET ${RECORDS}`]: { items: [record('a'), record(7), record(undefined, 4)] },
    [`POST ${RECORDS}`]: {
      written: 1,
      deleted: 0,
      rejected: [{ line: 2, code: 'record_not_found', message: 'there is no record with this key' }],
      rejectedTotal: 1,
    },
    [`PATCH ${RECORDS}/d-none`]: { created: false, generation: 5 },
  })
  const { user } = await show(RecordsPage, '/records', ADDRESS)
  await user.click(await screen.findByRole('checkbox', { name: 'Select all rows that are loaded' }))
  await user.click(screen.getByRole('button', { name: 'Edit bin…' }))
  await user.click(await screen.findByRole('button', { name: 'Change 3 records' }))
  screen.getByText('Enter the name of a bin')
  await user.type(screen.getByLabelText('Bin'), 'n')
  await user.type(screen.getByLabelText('Value (JSON)'), '9007199254740993')
  await user.click(screen.getByRole('button', { name: 'Change 3 records' }))
  expect(await screen.findByText(/2 records changed, 1 failed/)).toBeDefined()
  const batch = gateway.sent.find(({ line }) => line === `POST ${RECORDS}`)
  expect(batch?.query.get('exists')).toBe('update')
  expect(batch?.body).toBe('{"key":"a","bins":{"n":9007199254740993}}\n{"key":7,"bins":{"n":9007199254740993}}\n')
  const patch = gateway.sent.find(({ line }) => line.startsWith('PATCH'))
  expect([patch?.query.get('keytype'), patch?.headers.get('if-match'), patch?.body]).toEqual([
    'digest',
    '"4"',
    '{"n":9007199254740993}',
  ])
})

test('selected records are saved as they are now, in the format that was chosen', async () => {
  const gateway = new Gateway({
    [`GET ${RECORDS}`]: { items: [record('a'), record('b')] },
    [`POST ${RECORDS.replace(/records$/, 'read')}`]: () =>
      new Response('{"key":"a","bins":{"n":1}}\n{"key":"b","missing":true}\n'),
  })
  const saved: { name: string; file: Blob }[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push({ name: this.download, file: files.pop() ?? new Blob() })
  })
  const files: Blob[] = []
  Object.assign(URL, { createObjectURL: (file: Blob) => `blob:${files.push(file)}`, revokeObjectURL: () => undefined })
  const { user } = await show(RecordsPage, '/records', ADDRESS)
  await user.click(await screen.findByRole('checkbox', { name: 'Select all rows that are loaded' }))
  for (const format of [/^NDJSON/, /^CSV/]) {
    await user.click(screen.getByRole('button', { name: 'Export' }))
    await user.click(await screen.findByRole('menuitem', { name: format }))
  }
  await waitFor(() => expect(saved.map(({ name }) => name)).toEqual(['events-selected.ndjson', 'events-selected.csv']))
  const texts = await Promise.all(saved.map(({ file }) => file.text()))
  expect(texts).toEqual(['{"key":"a","bins":{"n":1}}\n', 'key,n\na,1\n'])
  expect(gateway.sent.filter(({ line }) => line.endsWith('/read')).map(({ body }) => body)).toEqual([
    '["a","b"]',
    '["a","b"]',
  ])
})

test('a long list begins at about a row, and goes back by segments', async () => {
  const config = { name: 'shop', segments: 256, storage: { engine: 'memory' } }
  const sets = { items: [{ name: 'events', records: 1_000_000, bytes: 64_000, limits: {} }] }
  const gateway = new Gateway({
    'GET /api/v1/namespaces': {
      items: [{ name: 'shop', records: 1_000_000, state: 'ready', config, capabilities: { missing: [] } }],
    },
    'GET /api/v1/namespaces/shop/sets': sets,
    [`GET ${RECORDS}`]: { items: [record('a')] },
  })
  const segments = (): (string | null)[] =>
    gateway.sent.filter(({ line }) => line === `GET ${RECORDS}`).map(({ query }) => query.get('segment'))
  const { user, drawn } = await show(RecordsPage, '/records', ADDRESS)
  await user.type(await screen.findByRole('textbox', { name: 'Row of about 1,000,000' }), '500,001{Enter}')
  await screen.findByText('from about row 500,001 on')
  expect(drawn()).toContain('segment=128')
  await user.click(screen.getByRole('button', { name: 'Earlier records' }))
  await screen.findByText('from about row 496,094 on')
  await waitFor(() => expect(new Set(segments())).toEqual(new Set([null, '128', '127'])))
  await user.click(screen.getByRole('button', { name: 'List from the first record' }))
  await waitFor(() => expect(drawn()).not.toContain('segment'))
})

test('more than 100 records are deleted only after their number is typed', async () => {
  const items = Array.from({ length: 101 }, (_, at) => record(`k${at}`))
  const gateway = new Gateway({ [`GET ${RECORDS}`]: { items } })
  for (const { key } of items) gateway.answers[`DELETE ${RECORDS}/${key}`] = () => new Response(null, { status: 204 })
  const { user } = await show(RecordsPage, '/records', ADDRESS)
  await user.click(await screen.findByRole('checkbox', { name: 'Select all rows that are loaded' }))
  await user.click(screen.getByRole('button', { name: 'Delete…' }))
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Delete 101 records' })
  expect(button.disabled).toBe(true)
  await user.type(screen.getByLabelText(/Type 101 to confirm/), '101')
  await user.click(button)
  expect(await screen.findByText(/101 records deleted/)).toBeDefined()
  await waitFor(() => expect(screen.queryByRole('toolbar', { name: 'Selected records' })).toBeNull())
})

test('a refusal that concerns all records stops the rest', async () => {
  const items = Array.from({ length: 40 }, (_, at) => record(`k${at}`))
  const gateway = new Gateway({ [`GET ${RECORDS}`]: { items } })
  for (const { key } of items)
    gateway.answers[`DELETE ${RECORDS}/${key}`] = () => refusal(429, 'rate_limited', 'too many requests')
  const { user } = await show(RecordsPage, '/records', ADDRESS)
  await user.click(await screen.findByRole('checkbox', { name: 'Select all rows that are loaded' }))
  await user.click(screen.getByRole('button', { name: 'Delete…' }))
  await user.click(await screen.findByRole('button', { name: 'Delete 40 records' }))
  expect(await screen.findByText(/0 records deleted, 40 not tried/)).toBeDefined()
  expect(gateway.sent.filter(({ line }) => line.startsWith('DELETE')).length).toBeLessThanOrEqual(12)
})
