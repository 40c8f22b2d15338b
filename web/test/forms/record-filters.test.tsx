import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { RecordsPage } from '../../src/pages/records/RecordsPage'
import { type Answers, Gateway, refusal, type Sent } from './gateway'
import { show } from './page'
import { saidOf } from '../ui/description'

const RECORDS = '/api/v1/namespaces/shop/sets/events/records'
const QUERY = 'POST /api/v1/namespaces/shop/query'
const PUSH = '{"bin":"kind","op":"eq","value":"push"}'

beforeEach(() => localStorage.clear())

const record = (key: string | number, n = 1) => ({
  key,
  digest: `d-${key}`,
  generation: 1,
  expiresAt: null,
  updatedAt: '2026-11-24T15:35:29.174Z',
  bins: { n, kind: 'push', list: [1] },
})

const plan = (part: object) => ({
  method: 'set-column',
  reason: '',
  estimatedCandidates: 1200,
  estimatedMs: 4,
  alternatives: [{ method: 'set-column', estimatedMs: 4 }],
  ...part,
})

/** The part of a body that says what is wanted. */
const wanted = ({ body }: Sent): { [name: string]: unknown } => JSON.parse(body) as { [name: string]: unknown }

/** A page of the set, with answers to plans and queries. */
async function open(search: string, planned: object, answers: Answers = {}) {
  const gateway = new Gateway({
    [`GET ${RECORDS}`]: { items: [record('a'), record(7)] },
    [QUERY]: (sent) =>
      wanted(sent)['explain'] === true
        ? Response.json(planned)
        : Response.json({ records: [record('hit')], jobId: 'j1', summary: { returned: 1 } }),
    ...answers,
  })
  const page = await show(RecordsPage, '/records', `/records?ns=shop&set=events${search}`)
  const queries = (): Sent[] => gateway.sent.filter(({ line, body }) => line === QUERY && !body.includes('"explain"'))
  return { gateway, queries, ...page }
}

/** As the router writes a text that is JSON. */
const address = (where: string): string => `&where=${encodeURIComponent(JSON.stringify(where))}`

test('a filter says what it costs before it runs, and then lists what a query finds', async () => {
  const { user, queries, drawn } = await open(
    '',
    plan({ method: 'range-index', index: 'kinds', estimatedCandidates: 3 }),
  )
  await screen.findByText('2 records')
  await user.click(screen.getByRole('button', { name: 'Filter' }))
  await user.click(await screen.findByRole('button', { name: 'Apply' }))
  screen.getByText('Enter a bin')
  await user.type(screen.getByLabelText('Bin or metadata'), 'kind')
  await user.type(screen.getByLabelText('Value'), 'push')
  await screen.findByText('Uses the index kinds: checks 3 records.')
  expect(queries()).toEqual([])
  await user.keyboard('{Enter}')
  await screen.findByText('1 of about 1,200 records')
  expect(queries().map(wanted)).toEqual([
    { set: 'events', limit: 200, where: { bin: 'kind', op: 'eq', value: 'push' } },
  ])
  expect(decodeURIComponent(drawn())).toContain(JSON.stringify(PUSH))
  screen.getByRole('button', { name: 'kind is push' })
})

test('a filter of the address is there, is removed by keyboard, and numbers keep their digits', async () => {
  const { user, queries, drawn } = await open(
    address('{"and":[{"bin":"n","op":"eq","value":9007199254740993},{"bin":"kind","op":"exists"}]}'),
    plan({}),
  )
  const chip = await screen.findByRole('button', { name: 'n is 9007199254740993' })
  await screen.findByText('1 of about 1,200 records')
  expect(queries()[0]?.body).toContain('"value":9007199254740993')
  screen.getByText('No index helps. Scans 1,200 records in about 4.00 ms.')
  expect(screen.getAllByText('checks 1,200')).toHaveLength(2)
  chip.focus()
  await user.keyboard('{Delete}')
  await waitFor(() => expect(drawn()).not.toContain('9007199254740993'))
  screen.getByRole('button', { name: 'kind exists' })
})

test('a search that reads much waits until the reader agrees', async () => {
  const { user, queries } = await open(address(PUSH), plan({ estimatedCandidates: 90_000_000, estimatedMs: 45_000 }))
  await screen.findByText('This search reads much')
  expect(queries()).toEqual([])
  await user.click(screen.getByRole('button', { name: 'Search now' }))
  await screen.findByText('1 of about 1,200 records')
  expect(queries()).toHaveLength(1)
})

test('a search that takes long can be stopped, and goes on', async () => {
  let given: AbortSignal | undefined
  let slow = true
  const { user } = await open(address(PUSH), plan({}), {
    [QUERY]: (sent) => {
      if (wanted(sent)['explain'] === true) return Response.json(plan({}))
      if (!slow) return Response.json({ records: [record('late')], jobId: 'j1', summary: {} })
      given = sent.signal
      return new Promise<Response>((_, reject) =>
        sent.signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError'))),
      )
    },
  })
  await user.click(await screen.findByRole('button', { name: 'Stop' }))
  await screen.findByText('You stopped the search. 0 records found so far.')
  expect(given?.aborted).toBe(true)
  slow = false
  await user.click(screen.getByRole('button', { name: 'Search on' }))
  await screen.findByText('1 of about 1,200 records')
})

test('a head sorts by the query API, and one that cannot says why', async () => {
  const { user, queries, drawn } = await open('', plan({}), {
    'GET /api/v1/namespaces/shop/indexes': {
      items: [{ name: 'by_n', kind: 'range', bin: 'n', state: 'ready', set: 'events' }],
    },
  })
  await screen.findByText('2 records')
  const head = within(screen.getByRole('columnheader', { name: /^n/ })).getByRole('button')
  await waitFor(() => expect(saidOf(head)).toBe('Sort by n. The index by_n has this order.'))
  const list = within(screen.getByRole('columnheader', { name: /^list/ })).getByRole('button')
  expect(saidOf(list)).toMatch(/Lists and maps have no order/)
  await user.click(head)
  await screen.findByText('1 record')
  expect(queries().map(wanted)).toEqual([{ set: 'events', limit: 1000, order: { bin: 'n', desc: true } }])
  expect(screen.getByRole('columnheader', { name: /^n/ }).getAttribute('aria-sort')).toBe('descending')
  expect(drawn()).toContain('order=-n')
})

test('a text that is no key is searched in the bins', async () => {
  const { user, queries, gateway } = await open('', plan({}), {
    [`GET ${RECORDS}/push`]: () => refusal(404, 'record_not_found', 'There is no record.'),
  })
  await user.type(await screen.findByLabelText('Open a key or find a value'), 'push{Enter}')
  await user.click(await screen.findByRole('button', { name: 'Search the bins for this value' }))
  await screen.findByText('1 of about 1,200 records')
  expect(queries().map(wanted)).toEqual([
    { set: 'events', limit: 200, where: { bin: 'kind', op: 'eq', value: 'push' } },
  ])
  expect(gateway.sent.filter(({ line }) => line === `GET ${RECORDS}/push`)).toHaveLength(1)
})

test('all that match are deleted as they are read, also those that no page has shown', async () => {
  const many = (from: number, size: number) =>
    Array.from({ length: size }, (_, at) => ({ ...record(`k${from + at}`), generation: 3 }))
  const { user, gateway } = await open(address(PUSH), plan({}), {
    [QUERY]: (sent) => {
      const { explain, aggregate, cursor } = wanted(sent)
      if (explain === true) return Response.json(plan({}))
      if (aggregate !== undefined) return Response.json({ aggregate: { records: { value: 4 } }, summary: {} })
      if (cursor === undefined) return Response.json({ records: many(0, 2), jobId: 'j', summary: { cursor: 'A' } })
      // The list itself stays where it is.
      if (sent.body.includes('"limit":200')) return new Promise<Response>(() => undefined)
      return Response.json({ records: many(2, 2), jobId: 'j', summary: {} })
    },
    [`DELETE ${RECORDS}/k0`]: () => new Response(null, { status: 204 }),
    [`DELETE ${RECORDS}/k1`]: () => refusal(412, 'generation_mismatch', 'the generation is 4, expected 3'),
    [`DELETE ${RECORDS}/k2`]: () => new Response(null, { status: 204 }),
    [`DELETE ${RECORDS}/k3`]: () => new Response(null, { status: 204 }),
  })
  await screen.findByText('2 records found so far')
  await user.click(screen.getByRole('checkbox', { name: 'Select all rows that are loaded' }))
  await user.click(screen.getByRole('button', { name: 'Select all that match' }))
  await screen.findByText('4')
  await user.click(screen.getByRole('button', { name: 'Delete…' }))
  await user.click(await screen.findByRole('button', { name: 'Delete 4 records' }))
  await screen.findByText(/3 records deleted, 1 failed/)
  const deletions = gateway.sent.filter(({ line }) => line.startsWith('DELETE'))
  expect(deletions.map(({ headers }) => headers.get('if-match'))).toEqual(['"3"', '"3"', '"3"', '"3"'])
  screen.getByRole('button', { name: 'Download the report' })
})

test('all that match are exported by one streamed download, and an index can be built for the filter', async () => {
  const { user } = await open(address(PUSH), plan({}))
  await screen.findByText('1 of about 1,200 records')
  const downloads: string[] = []
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    downloads.push(decodeURIComponent(this.href).replace(/^.*api/, ''))
  })
  for (const format of ['NDJSON, with all that a record has', 'CSV, a column for each bin']) {
    await user.click(screen.getByRole('button', { name: 'Export all that match' }))
    await user.click(await screen.findByRole('menuitem', { name: format }))
  }
  click.mockRestore()
  expect(downloads).toEqual(
    ['ndjson', 'csv'].map((format) => `/v1/namespaces/shop/export?set=events&format=${format}&where=${PUSH}`),
  )
  const link = screen.getByRole('link', { name: 'Build an index for this' })
  expect(link.getAttribute('href')).toContain('create=true&bin=kind&kind=range&set=events')
})

test('a list begins at a key that exists, and goes back to the first record', async () => {
  const { user, gateway, drawn } = await open('', plan({}), {
    [`GET ${RECORDS}/7`]: {},
    [`GET ${RECORDS}/gone`]: () => refusal(404, 'record_not_found', 'There is no record.'),
  })
  const field = await screen.findByLabelText('Open a key or find a value')
  await user.type(field, 'gone')
  await user.click(screen.getByRole('button', { name: 'List from here' }))
  await screen.findByText('No record has this key.')
  expect(drawn()).not.toContain('from=')
  await user.clear(field)
  await user.type(field, '7')
  await user.click(screen.getByRole('button', { name: 'List from here' }))
  await screen.findByText('2 from there on, of about 1,200 records')
  const asked = (): string | undefined =>
    gateway.sent.findLast(({ line }) => line === `GET ${RECORDS}`)?.query.toString()
  expect(asked()).toBe('limit=60&from=7&keytype=integer')
  await user.click(screen.getByRole('button', { name: 'List from the first record' }))
  await screen.findByText('2 records')
  expect(drawn()).not.toContain('from=')
})
