import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { BenchmarksPage } from '../../src/pages/benchmarks/BenchmarksPage'
import { readBenchmarksSearch } from '../../src/pages/benchmarks/search'
import { JobsPage } from '../../src/pages/jobs/JobsPage'
import { readJobsSearch } from '../../src/pages/jobs/search'
import { Gateway, json, type Sent } from './gateway'
import { show } from './page'
import { pick } from '../ui/pick'

const JOBS = 'GET /api/v1/jobs'
const RUNS = 'GET /api/v1/workloads'

/** As the router gives them. */
type Raw = Parameters<typeof readJobsSearch>[0] & Parameters<typeof readBenchmarksSearch>[0]

const job = (number: number, state = 'done') => ({
  id: `j${number}`,
  kind: 'scan',
  namespace: 'shop',
  title: `Scan ${number}`,
  parameters: {},
  state,
  done: 1,
  unit: 'records',
  ratePerSecond: 1,
  threads: 1,
  createdAt: '2026-11-24T15:35:29.174Z',
  damaged: 0,
})

const run = (number: number) => ({
  id: `w${number}`,
  spec: { name: `run ${number}`, namespace: 'shop', workload: 'RU,95', threads: 2 },
  state: 'done',
  createdAt: '2026-11-24T15:35:29.174Z',
  endedAt: '2026-11-24T15:35:39.174Z',
})

const isRunning = ({ query }: Sent): boolean => query.get('state')?.includes('running') === true

/** A server with two pages of what ended. */
const pages =
  (item: (number: number) => object) =>
  ({ query }: Sent): Response =>
    query.get('cursor') === 'older'
      ? json({ items: [item(1)], truncated: false, limit: 500 })
      : json({ items: [item(3), item(2)], truncated: true, cursor: 'older', limit: 100 })

async function openJobs(address = '/jobs') {
  const ended = pages(job)
  const gateway = new Gateway({
    [JOBS]: (sent) => (isRunning(sent) ? json({ items: [job(9, 'running')] }) : ended(sent)),
  })
  const { user } = await show(JobsPage, '/jobs', address)
  await screen.findByText('Scan 3')
  /** What was asked of the jobs that ended, last. */
  const asked = (): Record<string, string> =>
    Object.fromEntries(gateway.sent.findLast((sent) => sent.line === JOBS && !isRunning(sent))?.query ?? [])
  return { gateway, user, asked }
}

const rows = (label: string): (string | null)[] =>
  within(screen.getByRole('table', { name: label }))
    .getAllByText(/^(Scan|run) \d$/)
    .map(({ textContent }) => textContent)

test('older jobs come when they are asked for, below the newest', async () => {
  const { user, asked } = await openJobs()
  expect(asked()).toEqual({ limit: '100', state: 'done,failed,aborted' })
  expect(rows('Ended jobs')).toEqual(['Scan 3', 'Scan 2'])
  screen.getByText('the newest 2 jobs')
  await user.click(screen.getByRole('button', { name: 'Older' }))
  await waitFor(() => expect(rows('Ended jobs')).toEqual(['Scan 3', 'Scan 2', 'Scan 1']))
  expect(asked()).toEqual({ limit: '500', state: 'done,failed,aborted', cursor: 'older' })
  expect(screen.queryByRole('button', { name: 'Older' })).toBeNull()
})

test('a job that ended is drawn once, however often others end', async () => {
  const endedAt = (number: number): string => `2026-11-24T15:35:3${number}.000Z`
  const ended = (number: number) => ({ ...job(number), startedAt: job(number).createdAt, endedAt: endedAt(number) })
  let newest = 3
  const gateway = new Gateway({
    [JOBS]: (sent) =>
      isRunning(sent)
        ? json({ items: [] })
        : json({ items: Array.from({ length: newest }, (_, index) => ended(newest - index)), limit: 100 }),
  })
  await show(JobsPage, '/jobs')
  await screen.findByText('Scan 3')
  // Each row reads the time at which its job ended.
  const read = vi.spyOn(Date, 'parse')
  onTestFinished(() => read.mockRestore())
  newest = 4
  await screen.findByText('Scan 4')
  expect(rows('Ended jobs')).toEqual(['Scan 4', 'Scan 3', 'Scan 2', 'Scan 1'])
  const drawn = (number: number): boolean => read.mock.calls.some(([text]) => text === endedAt(number))
  expect([4, 3, 2, 1].map(drawn)).toEqual([true, false, false, false])
  expect(gateway.sent.filter((sent) => sent.line === JOBS && !isRunning(sent)).length).toBeGreaterThan(1)
})

test('kind, state and time are asked of the server, and a state hides the jobs at work', async () => {
  const { user, asked } = await openJobs()
  screen.getByText('Scan 9')
  await pick(user, screen.getByLabelText('Kind'), 'Index build')
  await waitFor(() => expect(asked()['kind']).toBe('index-build'))
  await pick(user, screen.getByLabelText('State'), 'failed')
  await waitFor(() => expect(asked()).toEqual({ limit: '100', kind: 'index-build', state: 'failed' }))
  await pick(user, screen.getByLabelText('Kind'), 'all kinds')
  await waitFor(() => expect(asked()).toEqual({ limit: '100', state: 'failed' }))
  expect(screen.queryByText('Scan 9')).toBeNull()
  const before = Date.now()
  await pick(user, screen.getByLabelText('Time'), 'last day')
  await waitFor(() => expect(asked()).toHaveProperty('from'))
  const aDayAfter = Date.parse(asked()['from'] ?? '') + 86_400_000
  expect(aDayAfter).toBeGreaterThanOrEqual(before)
  expect(aDayAfter).toBeLessThanOrEqual(Date.now())
})

test('a namespace hides the jobs of others, and both are asked of the server', async () => {
  const { user, asked } = await openJobs()
  await pick(user, screen.getByLabelText('Namespace'), 'logs')
  await waitFor(() => expect(asked()).toEqual({ limit: '100', state: 'done,failed,aborted', namespace: 'logs' }))
  await waitFor(() => expect(screen.queryByText('Scan 9')).toBeNull())
})

test('a free time is typed in local time, and a half typed one is not asked for', async () => {
  const { user, asked } = await openJobs()
  await pick(user, screen.getByLabelText('Time'), 'from … to …')
  const [from, to] = [await screen.findByLabelText('From'), screen.getByLabelText('To')]
  fireEvent.change(from, { target: { value: '2026-11-24T10:00:00' } })
  await waitFor(() => expect(asked()['from']).toBe(new Date(2026, 10, 24, 10).toISOString()))
  fireEvent.change(to, { target: { value: '2026-11-24T12:30:00' } })
  await waitFor(() => expect(asked()['to']).toBe(new Date(2026, 10, 24, 12, 30).toISOString()))
  fireEvent.change(to, { target: { value: '0002-11-24T12:30:00' } })
  expect((to as HTMLInputElement).value).toContain('0002-11-24T12:30')
  expect(asked()['to']).toBe(new Date(2026, 10, 24, 12, 30).toISOString())
  fireEvent.blur(to)
  expect((to as HTMLInputElement).value).toContain('2026-11-24T12:30')
  await pick(user, screen.getByLabelText('Time'), 'any time')
  await waitFor(() => expect(asked()).toEqual({ limit: '100', state: 'done,failed,aborted' }))
})

test('a list without a match says so', async () => {
  const gateway = new Gateway({ [JOBS]: { items: [] } })
  await show(JobsPage, '/jobs', '/jobs?state=failed')
  expect(await screen.findByText('No such jobs')).not.toBeNull()
  expect(gateway.sent.some(({ line, query }) => line === JOBS && query.get('state') === 'failed')).toBe(true)
})

test('benchmark runs are filtered and read page by page too', async () => {
  const gateway = new Gateway({ [RUNS]: pages(run) })
  const { user } = await show(BenchmarksPage, '/benchmarks')
  await screen.findByText('run 3')
  await user.click(screen.getByRole('button', { name: 'Older' }))
  await waitFor(() => expect(rows('Runs')).toEqual(['run 3', 'run 2', 'run 1']))
  await pick(user, screen.getByLabelText('State'), 'aborted')
  await waitFor(() => expect(gateway.sent.findLast(({ line }) => line === RUNS)?.query.get('state')).toBe('aborted'))
})

test('an address says only what there is', () => {
  expect(readJobsSearch({ id: 'j1', kind: 'scan', state: 'failed', since: '7d' } as Raw)).toEqual({
    id: 'j1',
    kind: 'scan',
    state: 'failed',
    since: '7d',
  })
  const free = { ns: 'shop', since: 'free', from: 5, to: 9 }
  expect(readJobsSearch(free as Raw)).toEqual(free)
  expect(readJobsSearch({ since: '7d', from: 5, to: 'x' } as unknown as Raw)).toEqual({ since: '7d' })
  expect(readJobsSearch({ kind: 'toString', state: 'bored', since: 'constructor' } as Raw)).toEqual({})
  expect(readBenchmarksSearch({ create: true, state: 'done', since: '1y' } as Raw)).toEqual({
    create: true,
    state: 'done',
  })
})
