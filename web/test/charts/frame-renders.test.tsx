import { act, screen, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { DeviceLoad, DeviceReport, Job, PagesLoad, PagesReport, WorkloadRun } from '../../src/api/types'
import { connection } from '../../src/live/connection'
import type { Frame } from '../../src/live/frame'
import { RunPage } from '../../src/pages/benchmarks/RunPage'
import { IndexPage } from '../../src/pages/indexes/IndexPage'
import { DeviceTab } from '../../src/pages/namespaces/device/DeviceTab'
import { StorageTab } from '../../src/pages/namespaces/storage/StorageTab'
import { ScansPage } from '../../src/pages/scans/ScansPage'
import { type Answers, Gateway, json } from '../forms/gateway'
import { show, takeClock } from '../forms/page'
import { frameOf, seriesOf } from '../frames'
import { watchRenders } from '../ui/renders'
import { Staged } from './stage'

// What comes each second draws charts and writes figures. It renders no page: only what shows text that has changed.

const START = Date.parse('2026-11-26T12:00:00Z')
const at = (second: number): number => START + second * 1000
const words = (second: number): string => new Date(at(second)).toISOString()

/** Opens a page. `arrive` brings a frame of the live stream, `shown` waits until charts show its second. */
async function open(Page: () => ReactNode, path: string, address: string, answers: Answers) {
  const listeners = new Set<(frame: Frame) => void>()
  vi.spyOn(connection, 'onFrame').mockImplementation((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  })
  // The stream is open and has told frames.
  Object.assign(connection, { state: 'live', latest: frameOf(at(0), []), lastFrameAt: Date.now() })
  onTestFinished(() => {
    vi.restoreAllMocks()
    Object.assign(connection, { state: 'connecting', latest: undefined, lastFrameAt: undefined })
  })
  const staged = new Staged()
  const gateway = new Gateway({
    'GET /api/v1/metrics/history': { stepSeconds: 1, items: [], from: words(0), to: words(0) },
    ...answers,
  })
  const { user } = await show(Page, path, address, staged.around)
  const arrive = async (frame: Frame): Promise<void> => {
    act(() => listeners.forEach((listener) => listener(frame)))
    await waitFor(() =>
      expect(staged.drawings.some(({ spec: { x } }) => x.scale === 'time' && x.range?.to === frame.timeMs)).toBe(true),
    )
  }
  const renders = watchRenders()
  return { gateway, user, staged, arrive, renders }
}

const tile = (name: string): (string | null)[] =>
  [...(screen.getByText(name, { selector: 'small' }).parentElement?.children ?? [])]
    .slice(1)
    .map(({ textContent }) => textContent)

const namespace = (engine: string) => ({
  name: 'shop',
  state: 'ready',
  records: 1,
  config: { storage: { engine } },
  capabilities: { missing: [] },
})

const load: DeviceLoad = {
  namespace: 'shop',
  flushQueueBytes: 0,
  defragQueueBlocks: 0,
  appendedBytesPerSecond: 0,
  movedBytesPerSecond: 0,
  disks: [],
}

const device: DeviceReport = {
  namespace: 'shop',
  blockBytes: 1024,
  disks: [],
  flush: { queueBytes: 0, limitBytes: 1024, failures: 0 },
  defrag: { queueBlocks: 0, reservedBlocks: 0, freeingBlocks: 0 },
  cache: { blocks: 0, mostBlocks: 1, memoryReads: 0, diskReads: 0 },
  amplification: { appendedBytes: 0, movedBytes: 0, writtenBytes: 0 },
}

test('a frame renders nothing of the tab Device', async () => {
  const { arrive, renders } = await open(DeviceTab, '/namespaces/$ns/device', '/namespaces/shop/device', {
    'GET /api/v1/namespaces/shop': namespace('device'),
    'GET /api/v1/namespaces/shop/device': device,
  })
  await screen.findByText('Flush queue', { selector: 'small' })
  await arrive(frameOf(at(1), [], { devices: [load] }))
  await renders.settle()
  await arrive(frameOf(at(2), [], { devices: [{ ...load, flushQueueBytes: 512 }] }))
  expect(tile('Flush queue')[0]).toBe('512 B')
  expect(renders.names()).toEqual([])
})

const pages: PagesLoad = {
  logRingBytes: 1024,
  logNeededBytes: 0,
  recordsReadBytesPerSecond: 1,
  recordsWrittenBytesPerSecond: 0,
  pagesReadBytesPerSecond: 0,
  pagesWrittenBytesPerSecond: 0,
  logWrittenBytesPerSecond: 0,
  readAmplification: 2,
  index: { hits: 0, misses: 0 },
  slotMap: { hits: 0, misses: 0 },
  records: { hits: 0, misses: 0 },
}

const report: PagesReport = {
  namespace: 'shop',
  at: words(0),
  pageBytes: 1024,
  pages: 10,
  freePages: 1,
  cache: { bytes: 1024, frames: 1, used: 1, dirty: 0, kinds: [] },
  log: { ringBytes: 1024, neededBytes: 0, end: 0, durable: 0, records: 0, imageBytes: 0, syncs: 0 },
  checkpoints: [],
  traffic: {
    recordsReadBytes: 0,
    recordsWrittenBytes: 0,
    pagesReadBytes: 0,
    pagesWrittenBytes: 0,
    logWrittenBytes: 0,
  },
}

async function openStorage(answers: Answers = {}) {
  const opened = await open(StorageTab, '/namespaces/$ns/storage', '/namespaces/shop/storage', {
    'GET /api/v1/namespaces/shop': namespace('paged'),
    'GET /api/v1/namespaces/shop/pages': report,
    'GET /api/v1/namespaces/shop/pages/map': {
      pages: 1,
      pagesPerCell: 1,
      kinds: ['data'],
      used: [1],
      kind: [0],
      fillPercent: [1],
      heat: [1],
      age: [1],
    },
    'GET /api/v1/namespaces/shop/pages/what-if': { samples: 0, samplesNeeded: 5, since: words(0), sizes: [] },
    ...answers,
  })
  await screen.findByText('Not enough samples yet')
  await screen.findByText('free pages')
  return opened
}

test('a frame renders nothing of the tab Storage', async () => {
  const { arrive, renders } = await openStorage()
  await arrive(frameOf(at(1), [], { devices: [{ ...load, pages }] }))
  await renders.settle()
  await arrive(frameOf(at(2), [], { devices: [{ ...load, pages: { ...pages, readAmplification: 3 } }] }))
  expect(tile('Read amplification')[1]).toBe('since it was opened; now 3.00×')
  expect(renders.names()).toEqual([])
})

test('a new report renders the tiles of the tab Storage, and neither its charts nor its maps', async () => {
  const clock = takeClock()
  let { pages: counted } = report
  const { renders } = await openStorage({
    'GET /api/v1/namespaces/shop/pages': () => json({ ...report, pages: counted }),
  })
  await renders.settle()
  counted = 20
  for (let second = 0; second < 3; second++) clock.pass()
  await waitFor(() => expect(tile('Pages')[0]).toBe('20.0 KiB'))
  expect(renders.names()).toContain('PageTiles')
  for (const name of ['StorageCharts', 'ChartCard', 'CheckpointTable', 'AmplificationCard'])
    expect(renders.names()).not.toContain(name)
})

const index = {
  namespace: 'shop',
  name: 'by-json',
  kind: 'document',
  bin: 'json',
  state: 'building',
  entries: 1,
  terms: 1,
  bytes: 1,
  recentEntries: 0,
  uses: 0,
  usesSince: words(0),
  merges: 0,
  createdAt: words(0),
  jobId: 'j1',
}

const job = (done: number): Job => ({
  id: 'j1',
  kind: 'index-build',
  namespace: 'shop',
  title: 'Build by-json',
  parameters: {},
  state: 'running',
  done,
  total: 100,
  unit: 'records',
  ratePerSecond: 0,
  threads: 1,
  createdAt: words(0),
  startedAt: words(-10),
  damaged: 0,
})

async function openIndex(answers: Answers = {}) {
  const opened = await open(IndexPage, '/indexes/$ns/$name', '/indexes/shop/by-json', {
    'GET /api/v1/namespaces/shop/indexes': { items: [index] },
    'GET /api/v1/jobs/j1': job(1),
    ...answers,
  })
  await screen.findByText('Before and during')
  return opened
}

test('a frame renders nothing of the page of an index that is built', async () => {
  const { arrive, renders } = await openIndex()
  const during = (): string | undefined =>
    screen.getByText('get p50', { selector: 'td' }).parentElement?.children[2]?.textContent ?? undefined
  await arrive(frameOf(at(1), [seriesOf([1000], { namespace: 'shop' })]))
  const before = during()
  await renders.settle()
  await arrive(frameOf(at(2), [seriesOf([9000, 9000, 9000], { namespace: 'shop' })]))
  expect(during()).not.toBe(before)
  expect(renders.names()).toEqual([])
})

test('the progress of a build renders its job, and nothing else of the page', async () => {
  let done = 1
  const { renders } = await openIndex({ 'GET /api/v1/jobs/j1': () => json(job(done)) })
  await renders.settle()
  done = 50
  await screen.findByText('50 of 100 records · 1 thread')
  expect(renders.names()).toContain('JobPanel')
  for (const name of ['IndexPage', 'IndexCards', 'Facts', 'ImpactCards', 'ChartCard', 'OtherBuilds'])
    expect(renders.names()).not.toContain(name)
})

test('rows and progress of a scan render its result, and neither the form nor the plan', async () => {
  let send: (row: string) => void = () => undefined
  const line = 'POST /api/v1/namespaces/shop/scan'
  const { user, renders } = await open(ScansPage, '/scans', '/scans?ns=shop', {
    [line]: ({ query }) =>
      query.has('explain')
        ? json({
            method: 'all',
            reason: 'There is no index.',
            estimatedRecords: 1,
            namespaceRecords: 1,
            segments: 1,
            threads: 1,
            estimatedMs: 1,
            alternatives: [],
          })
        : new Response(
            new ReadableStream<Uint8Array>({
              start: (rows) => void (send = (row) => rows.enqueue(new TextEncoder().encode(`${row}\n`))),
            }),
            { headers: { 'x-job-id': 'j1' } },
          ),
    'GET /api/v1/jobs/j1': job(1),
    // As many as the page takes before it is told, so that no second plan comes in between.
    'GET /api/v1/status': { cpus: 1, environment: 'development' },
  })
  await screen.findByText('There is no index.')
  await user.click(screen.getByRole('button', { name: 'Run scan' }))
  await screen.findByText('1 of 100 records · 1 thread')
  // The plan of this run comes beside its rows, and the page renders for it once.
  await waitFor(() => expect(renders.names()).toContain('ScanCost'))
  await renders.settle()
  await waitFor(() => {
    send('{"key":"a","bins":{"n":1}}')
    screen.getByText(/^[1-9]\d* returned/)
  })
  expect(renders.names()).toContain('CostLine')
  for (const name of ['ScansPage', 'StreamPage', 'ScanFields', 'FilterBuilder', 'ScanPlanCard', 'SpeedUpCard'])
    expect(renders.names()).not.toContain(name)
})

const operation = (count: number) => ({
  count,
  tps: count,
  meanMs: 1,
  p50Ms: 1,
  p99Ms: 1,
  under1msPct: 100,
})

const run = (seconds: number): WorkloadRun =>
  ({
    id: 'w1',
    spec: { name: 'nightly', namespace: 'shop', workload: 'RU,95', threads: 2, durationSeconds: 100 },
    state: 'running',
    createdAt: words(0),
    frames: Array.from({ length: seconds }, (_, second) => ({
      atSeconds: second + 1,
      tps: second + 1,
      read: operation(second + 1),
      write: operation(0),
    })),
  }) as unknown as WorkloadRun

test('a second of a benchmark renders its progress, and nothing else of the page', async () => {
  const clock = takeClock()
  let seconds = 3
  const { staged, renders } = await open(RunPage, '/benchmarks/$id', '/benchmarks/w1', {
    'GET /api/v1/workloads/w1': () => json(run(seconds)),
  })
  await screen.findByText('Throughput')
  expect(tile('Operations')).toEqual(['3/s', 'in the last second'])
  await renders.settle()
  seconds = 4
  clock.pass()
  await waitFor(() => expect(tile('Operations')[0]).toBe('4/s'))
  await waitFor(() => expect(staged.last?.spec.x.values).toEqual([1, 2, 3, 4]))
  expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('4')
  expect(renders.names()).toEqual(['Progress', 'RunProgress'])
})
