import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Backup, BackupSchedule, Role } from '../../src/api/types'
import { BackupsPage } from '../../src/pages/backups/BackupsPage'
import { readBackupsSearch } from '../../src/pages/backups/search'
import { type Answers, Gateway, refusal } from './gateway'
import { show } from './page'
import { saidOf } from '../ui/description'

const FULL = '20261124T153528Z-9f86d081'
const NEXT = '20261125T020000Z-60303ae2'
const CUT = '20261126T020000Z-0badcafe'

const config = {
  name: 'shop',
  storage: { engine: 'memory' },
  container: 'segmented',
  segments: 256,
  durability: 'none',
} as Backup['config'] & object
const points = { pointFrom: '2026-11-24T15:35:28.100Z', pointTo: '2026-11-24T15:35:29.900Z' }
const backups: Backup[] = [
  { id: FULL, state: 'complete', namespace: 'shop', config, ...points, records: 1200, bodies: 1200, bytes: 2048 },
  {
    id: NEXT,
    state: 'complete',
    namespace: 'shop',
    config,
    base: FULL,
    ...points,
    records: 1250,
    bodies: 60,
    damaged: 2,
  },
  { id: CUT, state: 'unfinished', namespace: 'logs', config: { ...config, name: 'logs' } },
]
const schedule: BackupSchedule = {
  namespace: 'shop',
  everyHours: 24,
  at: '02:00',
  fullEvery: 7,
  keepFull: 4,
  nextAt: '2026-11-27T02:00:00.000Z',
  lastAt: '2026-11-26T02:00:00.113Z',
  lastFailure: { code: 'device_full', message: 'The disk of the backups is full.' },
  missedAt: '2026-11-25T02:00:00.000Z',
  backups: [FULL],
}
const job = { id: 'j1', kind: 'backup', namespace: 'shop', title: 'Back up shop', state: 'done', parameters: {} }
const ran = { ...job, done: 5, total: 5, unit: 'records', threads: 2, damaged: 0, ratePerSecond: 1 }
const namespaces = ['shop', 'logs', 'far'].map((name) => ({
  name,
  records: 12,
  state: 'ready',
  capabilities: { missing: [] },
  config: { storage: { engine: name === 'far' ? 'cassandra' : 'memory' } },
}))

async function open(search = '', answers: Answers = {}, role: Role = 'admin') {
  const gateway = new Gateway({
    'GET /api/v1/backups': { items: backups, limit: 5000, truncated: false },
    'GET /api/v1/backup-schedules': { items: [schedule] },
    'GET /api/v1/backup-targets': { items: [], limit: 5000, truncated: false },
    'GET /api/v1/namespaces': { items: namespaces },
    'GET /api/v1/jobs/j1': ran,
    ...answers,
  })
  const shown = await show(BackupsPage, '/backups', `/backups${search}`, undefined, role)
  return { gateway, ...shown }
}

const button = (name: string): Promise<HTMLButtonElement> => screen.findByRole('button', { name })
const dialog = async () => within(await screen.findByRole('dialog'))
const rowOf = async (id: string) => within((await screen.findByRole('row', { name: new RegExp(id) })) as HTMLElement)

test('a backup is listed with its state, point of restore, base, sizes and damage', async () => {
  await open()
  expect((await rowOf(FULL)).getAllByRole('cell').map(({ textContent }) => textContent)).toEqual(
    expect.arrayContaining(['shop', 'complete', 'full', '1,200', '2.00 KiB', '0']),
  )
  const next = await rowOf(NEXT)
  expect(next.getByText('on 9f86d081')).toBeDefined()
  expect(saidOf(next.getByText('2'))).toMatch(/could not be read/)
  expect((await rowOf(CUT)).getByText('unfinished')).toBeDefined()
})

test('the namespace of the address filters backups and schedules, and is chosen on the page', async () => {
  const { user, drawn } = await open('?ns=logs')
  await rowOf(CUT)
  expect(screen.queryByRole('row', { name: new RegExp(FULL) })).toBeNull()
  expect(await screen.findByText('No schedule for logs')).toBeDefined()
  await user.selectOptions(screen.getByLabelText('Namespace'), 'shop')
  await rowOf(FULL)
  await waitFor(() => expect(drawn()).toBe('/backups?ns=shop'))
})

test('an address of a backup that is gone says so, over the list', async () => {
  await open('?id=gone')
  expect(await screen.findByText('No such backup')).toBeDefined()
  expect(await screen.findByText(FULL)).toBeDefined()
})

test('what an address should not have is left out', () => {
  expect(readBackupsSearch({ ns: ['a'], id: '', create: 'yes' } as never)).toEqual({})
  expect(readBackupsSearch({ ns: 'shop', id: FULL, create: true } as never)).toEqual({
    ns: 'shop',
    id: FULL,
    create: true,
  })
})

test('without backups it says what to do, and a failed list can be asked for again', async () => {
  const { user, gateway } = await open('', { 'GET /api/v1/backups': () => refusal(503, 'overloaded', 'Too many.') })
  await screen.findByText('Too many.')
  gateway.answers['GET /api/v1/backups'] = { items: [], limit: 5000, truncated: false }
  await user.click(await button('Try again'))
  expect(await screen.findByText('No backups yet')).toBeDefined()
})

test('a backup is made in full, or of what changed since another, with threads and a throttle', async () => {
  const START = 'POST /api/v1/namespaces/shop/backups'
  const { user, gateway } = await open('', { [START]: job })
  await user.click(await button('Back up now'))
  const form = await dialog()
  await form.findByRole('option', { name: /^shop/ })
  expect(form.queryByRole('option', { name: /^far/ })).toBeNull()
  await user.selectOptions(form.getByLabelText('Backup'), NEXT)
  await user.type(form.getByLabelText('Threads'), '4')
  await user.type(form.getByLabelText('Records per second'), '500{Enter}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.bodies(START)).toEqual([{ base: NEXT, threads: 4, recordsPerSecond: 500 }])
  // What came of it is on the page, with the way to the job.
  expect((await screen.findByRole('link', { name: 'Workers and details' })).getAttribute('href')).toBe('/jobs?id=j1')
})

test('Enter counts while the list of namespaces is read', async () => {
  const START = 'POST /api/v1/namespaces/shop/backups'
  const never = () => new Promise<Response>(() => undefined)
  const { user, gateway } = await open('?ns=shop&create=true', { [START]: job, 'GET /api/v1/namespaces': never })
  await user.type((await dialog()).getByLabelText('Threads'), '4{Enter}')
  await waitFor(() => expect(gateway.bodies(START)).toEqual([{ threads: 4 }]))
})

test.each(['0', '129', 'x'])('%s threads are refused at their field', async (threads) => {
  const { user, gateway } = await open('?create=true')
  const form = await dialog()
  await form.findByRole('option', { name: /^shop/ })
  await user.type(form.getByLabelText('Threads'), `${threads}{Enter}`)
  expect(form.getByRole('alert').textContent).toBe('A whole number from 1 to 128')
  expect(gateway.sent.filter(({ line }) => line.startsWith('POST'))).toEqual([])
})

test('a complete one is verified, and an unfinished one resumed', async () => {
  const lines = [`POST /api/v1/backups/${NEXT}/verify`, `POST /api/v1/backups/${CUT}/resume`]
  const { user, gateway } = await open('', Object.fromEntries(lines.map((line) => [line, job])))
  await user.click(await button(`Verify ${NEXT}`))
  await user.click(await button(`Resume ${CUT}`))
  await waitFor(() => expect(gateway.sent.map(({ line }) => line)).toEqual(expect.arrayContaining(lines)))
  expect(screen.queryByRole('button', { name: `Restore ${CUT}` })).toBeNull()
  expect(screen.queryByRole('button', { name: `Resume ${NEXT}` })).toBeNull()
})

test('a bucket is looked at, and each call about its backups names it', async () => {
  const targets = { items: [{ name: 'offsite' }], limit: 5000, truncated: false }
  const start = 'POST /api/v1/namespaces/shop/backups'
  const lines = [`POST /api/v1/backups/${NEXT}/verify`, `DELETE /api/v1/backups/${NEXT}`]
  const { user, gateway, drawn } = await open('', {
    'GET /api/v1/backup-targets': targets,
    ...Object.fromEntries([start, ...lines].map((line) => [line, job])),
  })
  await user.selectOptions(await screen.findByLabelText('Place'), 'offsite')
  await waitFor(() => expect(drawn()).toBe('/backups?target=offsite'))
  expect(await screen.findByText(/^in offsite/)).toBeDefined()
  await user.click(await button(`Verify ${NEXT}`))
  await user.click(await button(`Delete ${NEXT}`))
  await user.type((await dialog()).getByRole('textbox'), NEXT)
  await user.click((await dialog()).getByRole('button', { name: 'Delete backup' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await user.click(await button('Back up now'))
  await user.click((await dialog()).getByRole('button', { name: 'Back up' }))
  await waitFor(() => expect(gateway.bodies(start)).toEqual([{ target: 'offsite' }]))
  for (const line of ['GET /api/v1/backups', ...lines])
    expect(gateway.sent.findLast((one) => one.line === line)?.query.get('target')).toBe('offsite')
})

test('a refusal to verify is told', async () => {
  const { user } = await open('', {
    [`POST /api/v1/backups/${NEXT}/verify`]: () => refusal(404, 'backup_not_found', 'There is no backup of this id.'),
  })
  await user.click(await button(`Verify ${NEXT}`))
  expect(await screen.findByText('There is no backup of this id.')).toBeDefined()
})

const RESTORE = `POST /api/v1/backups/${NEXT}/restore`

test('one is restored into a new namespace as it was stored, and not under a name that is taken', async () => {
  const { user, gateway } = await open('', { [RESTORE]: job })
  await user.click(await button(`Restore ${NEXT}`))
  const form = await dialog()
  const name = form.getByLabelText<HTMLInputElement>('Name')
  expect(name.value).toBe('shop-restored')
  await user.clear(name)
  await user.type(name, 'logs{Enter}')
  expect((await form.findByRole('alert')).textContent).toContain('There is a namespace of this name')
  await user.type(name, '2{Enter}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.bodies(RESTORE)).toEqual([{ namespace: 'logs2' }])
})

test('one is restored with another engine', async () => {
  const { user, gateway } = await open('', { [RESTORE]: job })
  await user.click(await button(`Restore ${NEXT}`))
  const form = await dialog()
  await user.selectOptions(form.getByLabelText('Storage'), 'choose another')
  await user.click(form.getByRole('radio', { name: /^device/ }))
  await user.selectOptions(form.getByLabelText('Segments'), '64')
  await user.click(form.getByRole('button', { name: 'Restore' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.bodies(RESTORE)).toMatchObject([
    { namespace: 'shop-restored', storage: { engine: 'device' }, segments: 64 },
  ])
})

test('one is merged into a namespace that exists; a refusal is told, and the form stays', async () => {
  const { user, gateway } = await open('', {
    [RESTORE]: () => refusal(409, 'namespace_not_empty', 'shop has 12 records.'),
  })
  await user.click(await button(`Restore ${NEXT}`))
  const form = await dialog()
  await user.click(form.getByRole('radio', { name: 'one that exists' }))
  await form.findByRole('option', { name: /^shop/ })
  await user.click(form.getByRole('button', { name: 'Restore' }))
  await form.findByText('shop has 12 records.')
  gateway.answers[RESTORE] = job
  await user.click(form.getByRole('checkbox', { name: /^Merge/ }))
  await user.click(form.getByRole('button', { name: 'Restore' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.bodies(RESTORE)).toEqual([{ namespace: 'shop' }, { namespace: 'shop', merge: true }])
})

test('one is deleted after its id is typed; one that others build on says so', async () => {
  const DELETE = `DELETE /api/v1/backups/${NEXT}`
  const { user, gateway } = await open('', { [DELETE]: backups[1] ?? {} })
  await user.click(await button(`Delete ${FULL}`))
  expect((await dialog()).getByText(NEXT)).toBeDefined()
  await user.click((await dialog()).getByText('Close'))
  await user.click(await button(`Delete ${NEXT}`))
  const form = await dialog()
  const confirm = form.getByRole<HTMLButtonElement>('button', { name: 'Delete backup' })
  expect(confirm.disabled).toBe(true)
  await user.type(form.getByRole('textbox'), NEXT)
  await user.click(confirm)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.sent.find(({ line }) => line === DELETE)?.headers.get('x-confirm')).toBe(NEXT)
})

const SCHEDULE = '/api/v1/namespaces/shop/backup-schedule'

test('a schedule says when, what it keeps, and how the last time went; it is changed and ended', async () => {
  const lines = [`PUT ${SCHEDULE}`, `DELETE ${SCHEDULE}`]
  const { user, gateway } = await open('', Object.fromEntries(lines.map((line) => [line, schedule])))
  const row = within(await screen.findByRole('row', { name: /every day at 02:00 UTC/ }))
  expect(row.getByText('1 full, then 6 on it; 4 chains kept')).toBeDefined()
  expect(row.getByText('The disk of the backups is full.')).toBeDefined()
  expect(row.getByText(/one was missed/)).toBeDefined()
  await user.click(await button('Change the schedule of shop'))
  const form = await dialog()
  const every = form.getByLabelText('Every, hours')
  await form.findByRole('option', { name: 'shop' })
  await user.clear(every)
  await user.type(every, '745{Enter}')
  expect(form.getByRole('alert').textContent).toBe('1 to 744')
  await user.clear(every)
  await user.type(every, '6{Enter}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(gateway.bodies(`PUT ${SCHEDULE}`)).toEqual([{ everyHours: 6, at: '02:00', fullEvery: 7, keepFull: 4 }])
  await user.click(await button('End the schedule of shop'))
  await user.click((await dialog()).getByRole('button', { name: 'End schedule' }))
  await waitFor(() => expect(gateway.sent.map(({ line }) => line)).toContain(`DELETE ${SCHEDULE}`))
})

test('below operator, the schedules are seen, no backup is asked for, and nothing is offered', async () => {
  const { gateway } = await open('?create=true', {}, 'reader')
  expect(await screen.findByText('1 full, then 6 on it; 4 chains kept')).toBeDefined()
  expect(screen.getByText(/Seeing and restoring backups needs the role/).textContent).toContain('operator')
  expect((await dialog()).getByText(/Backing a namespace up needs the role/)).toBeDefined()
  const names = screen.getAllByRole('button').map(({ textContent }) => textContent)
  expect(names.filter((name) => /^(Back up|Change|End|Set|Verify|Restore|Delete)/.test(name ?? ''))).toEqual([])
  expect(gateway.sent.map(({ line }) => line)).not.toContain('GET /api/v1/backups')
})
