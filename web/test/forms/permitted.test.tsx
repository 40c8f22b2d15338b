// What a page offers depends on the role of the caller.
import { screen, waitFor, within } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import type { Role } from '../../src/api/types'
import { AlertsPage } from '../../src/pages/alerts/AlertsPage'
import { BenchmarksPage } from '../../src/pages/benchmarks/BenchmarksPage'
import { ImportPage } from '../../src/pages/import/ImportPage'
import { IndexesPage } from '../../src/pages/indexes/IndexesPage'
import { JobsPage } from '../../src/pages/jobs/JobsPage'
import { ConfigTab } from '../../src/pages/namespaces/config/ConfigTab'
import { SetsTab } from '../../src/pages/namespaces/detail/sets/SetsTab'
import { MigrateTab } from '../../src/pages/namespaces/migrate/MigrateTab'
import { NamespacesPage } from '../../src/pages/namespaces/NamespacesPage'
import { QueryDrawer } from '../../src/pages/query/QueryDrawer'
import { RecordsPage } from '../../src/pages/records/RecordsPage'
import { SlowPage } from '../../src/pages/slow/SlowPage'
import { CommandPalette } from '../../src/shell/commands/CommandPalette'
import { openOverlay } from '../../src/shell/commands/overlays'
import { Gate } from '../../src/shell/Gate'
import { Nav } from '../../src/shell/nav/Nav'
import { type Answers, Gateway, json } from './gateway'
import { show } from './page'

const job = {
  id: 'j1',
  kind: 'scan',
  namespace: 'shop',
  title: 'Scan shop',
  state: 'running',
  done: 5,
  total: 10,
  unit: 'records',
  threads: 2,
  damaged: 0,
  ratePerSecond: 1,
}
const shop = {
  name: 'shop',
  state: 'ready',
  capabilities: { missing: [] },
  config: { storage: { engine: 'memory' }, segments: 256, defaultTtlSeconds: 0, stopWritesPercent: 90 },
  mutable: ['defaultTtlSeconds', 'stopWritesPercent', 'ownership'],
}
const set = { name: 'events', records: 12, bytes: 900, index: { state: 'on', bytes: 10 }, limits: {} }
const index = {
  name: 'kinds',
  namespace: 'shop',
  kind: 'range',
  bin: 'kind',
  state: 'ready',
  entries: 12,
  terms: 3,
  bytes: 500,
  uses: 0,
  usesSince: '2026-11-26T12:00:00Z',
  createdAt: '2026-11-26T12:00:00Z',
}
const rule = { id: 'r1', name: 'Writes stopped', severity: 'critical', threshold: { metric: 'm', op: 'is', value: 1 } }
const answers: Answers = {
  'GET /api/v1/namespaces/shop': shop,
  'GET /api/v1/namespaces/shop/config/revisions': {
    items: [2, 1].map((number) => ({
      number,
      at: '2026-11-26T12:00:00Z',
      who: 'token',
      cause: 'changed',
      changes: [{ field: 'defaultTtlSeconds', from: 1, to: 0 }],
    })),
  },
  'GET /api/v1/namespaces/shop/sets': { items: [set], total: { sets: 1, records: 1, bytes: 1 } },
  'GET /api/v1/indexes': { items: [index] },
  'GET /api/v1/namespaces/shop/indexes': { items: [index] },
  'GET /api/v1/namespaces/logs/indexes': { items: [] },
  'GET /api/v1/namespaces': {
    items: ['shop', 'logs'].map((name) => ({ ...shop, name, records: 12, memory: { total: 1 }, sets: 1, indexes: 1 })),
  },
  'GET /api/v1/jobs': ({ query }) => json({ items: query.get('state')?.includes('running') === true ? [job] : [] }),
  'GET /api/v1/alerts/rules': { items: [rule] },
  'GET /api/v1/alerts/events': { items: [] },
  'GET /api/v1/alerts/metrics': { items: [] },
  'GET /api/v1/alerts/webhook': {
    url: 'https://example.org',
    enabled: true,
    secretSetAt: '2026-11-26T12:00:00Z',
    waiting: 0,
  },
  'GET /api/v1/orphans': { items: [] },
  'GET /api/v1/slow': { items: [], limit: 100, truncated: false },
  'GET /api/v1/slow/settings': {
    thresholdMs: 100,
    keepKeys: false,
    kept: 0,
    bytes: 0,
    mostBytes: 1,
    seen: 0,
    namespaces: { logs: 20 },
  },
  'GET /api/v1/workloads': { items: [] },
  'GET /api/v1/queries': {
    items: [{ id: 'q1', name: 'recent', namespace: 'shop', request: '{}', updatedAt: '2026-11-26T12:00:00Z' }],
  },
}

interface Case {
  Page: () => ReactNode
  at: string
  address?: string
  /** something that everybody sees */
  seen: string | RegExp
  /** the role that offers these, by name of the button or link */
  from: Role
  names: string[]
  /** what is said to those below */
  said?: RegExp
  /** requests of those above alone */
  asked?: string[]
}

const drawer = () => <QueryDrawer open onClose={() => undefined} onOpen={() => undefined} onRemoved={() => undefined} />
const cases: Case[] = [
  {
    Page: NamespacesPage,
    at: '/namespaces',
    seen: 'shop',
    from: 'operator',
    names: ['Create a namespace'],
    asked: ['GET /api/v1/orphans'],
  },
  {
    Page: SetsTab,
    at: '/namespaces/$ns/sets',
    address: '/namespaces/shop/sets',
    seen: 'events',
    from: 'operator',
    names: ['Create a set', 'Limits…', 'Truncate…'],
    asked: ['GET /api/v1/namespaces/shop/truncations'],
  },
  {
    Page: ConfigTab,
    at: '/namespaces/$ns/config',
    address: '/namespaces/shop/config',
    seen: '90% full',
    from: 'operator',
    names: ['Review…', 'Discard', 'Roll back to revision 1'],
    said: /Changing them needs the role operator/,
  },
  {
    Page: MigrateTab,
    at: '/namespaces/$ns/migrate',
    address: '/namespaces/shop/migrate',
    seen: /Migrate|migration/,
    from: 'operator',
    names: ['Migrate'],
    said: /Starting one needs the role operator/,
  },
  {
    Page: RecordsPage,
    at: '/records',
    address: '/records?ns=shop&set=events',
    seen: 'Open a key or find a value',
    from: 'writer',
    names: ['New record'],
  },
  {
    Page: ImportPage,
    at: '/import',
    address: '/import?ns=shop',
    seen: 'Download CSV',
    from: 'writer',
    names: ['Choose a file'],
    said: /Importing needs the role writer/,
  },
  { Page: drawer, at: '/query', seen: 'recent', from: 'writer', names: ['Remove recent'] },
  { Page: IndexesPage, at: '/indexes', seen: 'kinds', from: 'operator', names: ['Create an index', 'Drop…'] },
  {
    Page: JobsPage,
    at: '/jobs',
    seen: 'Scan shop',
    from: 'operator',
    names: ['Count records', 'Scrub a device', 'Pause', 'Abort'],
  },
  {
    Page: SlowPage,
    at: '/slow',
    seen: 'Thresholds of namespaces',
    from: 'operator',
    names: ['Apply', 'Set threshold', 'Remove all', 'Remove the threshold of logs'],
    said: /Changing this needs the role operator/,
  },
  {
    Page: BenchmarksPage,
    at: '/benchmarks',
    seen: 'No runs yet',
    from: 'operator',
    names: ['New run'],
    said: /Starting one needs the role operator/,
  },
  {
    Page: AlertsPage,
    at: '/alerts',
    seen: 'Writes stopped',
    from: 'operator',
    names: ['New rule', 'Edit Writes stopped', 'Mute Writes stopped', 'Delete Writes stopped'],
  },
  {
    Page: AlertsPage,
    at: '/alerts',
    seen: 'Writes stopped',
    from: 'admin',
    names: ['Set…'],
    said: /Seeing and changing it needs the role admin/,
  },
]
const below = { writer: 'reader', operator: 'writer', admin: 'operator' } as const

/** Shows a page to a caller of this role. */
async function open(Page: () => ReactNode, at: string, role: Role, address?: string): Promise<Gateway> {
  const gateway = new Gateway(answers)
  await show(Page, at, address, undefined, role)
  return gateway
}

const offered = (name: string): HTMLElement | undefined =>
  [...screen.queryAllByRole('button', { name }), ...screen.queryAllByRole('link', { name })][0]

test.each(cases)('$at offers from the role $from on: $names', async ({ Page, at, address, from, names, ...rest }) => {
  const gateway = await open(Page, at, from, address)
  for (const name of names) await waitFor(() => expect(offered(name), name).toBeDefined())
  const asked = (): string[] => gateway.sent.map(({ line }) => line).filter((line) => rest.asked?.includes(line))
  await waitFor(() => expect(new Set(asked()).size).toBe(rest.asked?.length ?? 0))
})

test.each(cases)(
  '$at offers to those below $from none of: $names',
  async ({ Page, at, address, from, names, ...rest }) => {
    const gateway = await open(Page, at, below[from as keyof typeof below], address)
    await screen.findAllByText(rest.seen)
    expect(names.filter((name) => offered(name) !== undefined)).toEqual([])
    const told = screen.queryAllByText((_, element) => rest.said?.test(element?.textContent ?? '') === true)
    expect(told.length > 0).toBe(rest.said !== undefined)
    expect(gateway.sent.filter(({ line }) => rest.asked?.includes(line))).toEqual([])
  },
)

test('a read-only server refuses the button of a page, which says why', async () => {
  const gateway = new Gateway({ ...answers, 'GET /api/v1/status': { readOnly: true } })
  const { user } = await show(AlertsPage, '/alerts', undefined, undefined, 'admin')
  const button = () => screen.getByRole('button', { name: 'New rule' })
  await waitFor(() => expect(button().getAttribute('aria-disabled')).toBe('true'))
  expect(button().getAttribute('aria-description')).toBe('This server is read-only')
  await user.click(button())
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(gateway.sent.filter(({ line }) => !line.startsWith('GET '))).toEqual([])
})

test.each(['Create a set', 'Limits…', 'Truncate…'])('a read-only server refuses %s of the sets', async (name) => {
  const gateway = new Gateway({ ...answers, 'GET /api/v1/status': { readOnly: true } })
  const { user } = await show(SetsTab, '/namespaces/$ns/sets', '/namespaces/shop/sets', undefined, 'admin')
  await screen.findByText('events')
  const button = () => screen.getByRole('button', { name })
  await waitFor(() => expect(button().getAttribute('aria-disabled')).toBe('true'))
  await user.click(button())
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(gateway.sent.filter(({ line }) => !line.startsWith('GET '))).toEqual([])
})

test('a set index that may not be switched is shown by its state', async () => {
  await open(SetsTab, '/namespaces/$ns/sets', 'writer', '/namespaces/shop/sets')
  await screen.findByText('on')
  expect(screen.queryByRole('switch')).toBeNull()
  expect(screen.getByText('on').className).toContain('badge')
})

test('a reader sees a record, and no field of it', async () => {
  const RECORD = 'GET /api/v1/namespaces/shop/sets/events/records/a'
  const text = '{"set":"events","key":"a","digest":"d1","generation":3,"bins":{"n":9007199254740993}}'
  const gateway = new Gateway({
    ...answers,
    [RECORD]: () => new Response(text, { headers: { 'content-type': 'application/json', etag: '"3"' } }),
  })
  await show(RecordsPage, '/records', '/records?ns=shop&set=events&key=a', undefined, 'reader')
  const dialog = within(await screen.findByRole('dialog', { name: 'Record a' }))
  expect((await dialog.findByLabelText('Bins as JSON')).textContent).toContain('9007199254740993')
  expect(dialog.queryByRole('textbox')).toBeNull()
  expect(dialog.getByText(/Changing it needs the role/).textContent).toContain('writer')
  expect(gateway.sent.map(({ line }) => line)).toContain(RECORD)
})

test('a dialog that its address opens says which role it needs', async () => {
  await open(RecordsPage, '/records', 'reader', '/records?ns=shop&set=events&create=true')
  expect((await screen.findByText(/Writing a record needs the role/)).textContent).toContain('writer')
})

test('the navigation and the palette have what the role may open and do', async () => {
  const Page = () => (
    <>
      <Nav />
      <CommandPalette />
    </>
  )
  await open(Page, '/', 'writer')
  expect(screen.queryByRole('link', { name: 'Audit' })).toBeNull()
  expect(screen.getByRole('link', { name: 'Import & export' })).toBeDefined()
  openOverlay('palette')
  const actions = within(await screen.findByRole('group', { name: 'Actions' })).getAllByRole('option')
  const names = actions.map(({ textContent }) => textContent)
  expect(names).toContain('Create a record')
  expect(names.filter((name) => /namespace|an index|benchmark/.test(name))).toEqual([])
  expect(screen.queryByRole('option', { name: 'Audit' })).toBeNull()
  openOverlay(undefined)
})

test('a page that the role may not open names the role that it needs', async () => {
  await open(Gate, '/audit', 'operator')
  expect(screen.getByText('This page needs the role admin')).toBeDefined()
  expect(screen.getByText('operator has the role operator.')).toBeDefined()
})
