import { expect, test } from 'vitest'
import type { HistoryRange, MetricsFrame, Operation, Store } from '../dist/index.js'
import { asRecord, failure, open, put, text } from './store.js'

/** The first frame that `wanted` takes. */
function frame(store: Store, wanted: (frame: MetricsFrame) => boolean): Promise<MetricsFrame> {
  return new Promise((resolve) => {
    // Frames do not keep the process alive; this does, until the test ends.
    const alive = setInterval(() => {}, 1000)
    const stop = store.onFrame((next) => {
      if (!wanted(next)) return
      stop()
      clearInterval(alive)
      resolve(next)
    })
  })
}

/** A frame as JSON has it. */
type Step = Omit<MetricsFrame, 'timeMs'> & { time: string }

async function steps(store: Store, range: HistoryRange): Promise<Step[]> {
  const history = await store.history(range)
  const found: Step[] = []
  for (let piece = await history.next(); piece !== null; piece = await history.next()) {
    expect(piece.at(-1)).toBe(0x0a)
    found.push(
      ...piece
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Step),
    )
  }
  return found
}

test('a frame counts every operation, by side and outcome, with its targets', async () => {
  const store = await open()
  await put(store, 'k', { a: 1 })
  for (let n = 0; n < 100; n += 1) store.getRecord('ns', 's', text('k'), asRecord)
  await failure(() => store.putRecord('ns', 's', text('k'), Buffer.from('{}'), { exists: 'create', shape: 'record' }))
  for (const nanos of [999_999, 1_000_000, 1_000_001, -5, 2 ** 40]) store.recordLatency('ns', 'get', nanos, true)
  store.recordLatency('gone', 'get', 1, true)
  const latest = await frame(store, ({ latency }) => latency.some(({ side }) => side === 'gateway'))
  const past = await steps(store, { fromMs: 0, toMs: latest.timeMs, stepSeconds: 60 })
  const total = (op: Operation, outcome: string, side: string): number =>
    past
      .flatMap(({ latency }) => latency)
      .filter((s) => s.op === op && s.outcome === outcome && s.side === side)
      .reduce((sum, { count }) => sum + count, 0)
  expect([total('get', 'ok', 'engine'), total('put', 'ok', 'engine'), total('put', 'error', 'engine')]).toEqual([
    100, 1, 1,
  ])
  const gateway = latest.latency.find(({ side }) => side === 'gateway')
  expect(gateway).toMatchObject({ namespace: 'ns', op: 'get', outcome: 'ok', count: 5, overflow: 1, maxNs: 2 ** 40 })
  expect(gateway?.slo.slice(3, 6)).toEqual([1, 3, 4])
  expect(gateway?.buckets.filter((_, place) => place % 2 === 1).reduce((sum, n) => sum + n, 0)).toBe(4)
})

test('frames carry marks, memory and the process, and history chooses', async () => {
  const store = await open()
  await put(store, 'k', { a: 1 })
  const first = await frame(store, ({ marks }) => marks.length > 0)
  expect(first.marks[0]).toMatchObject({ kind: 'config', text: 'namespace ns created' })
  expect(first.memory.total).toBeGreaterThan(0)
  expect(first.process.residentBytes).toBeGreaterThan(1_000_000)
  const second = await frame(store, ({ seq }) => seq > first.seq)
  expect(second.seq).toBe(first.seq + 1)
  const range = { fromMs: 0, toMs: second.timeMs, stepSeconds: 1 }
  const read = (query: Partial<HistoryRange> = {}) => steps(store, { ...range, ...query })
  expect((await read()).map(({ seq }) => seq)).toEqual([...Array(second.seq).keys()].map((n) => n + 1))
  expect((await read()).at(-1)?.sizes).toEqual([{ namespace: 'ns', records: 1, bytes: second.sizes[0]?.bytes }])
  expect((await read({ namespace: 'other' })).flatMap(({ latency, sizes }) => [...latency, ...sizes])).toEqual([])
  expect((await read({ op: 'put' })).flatMap(({ latency }) => latency)).toHaveLength(1)
  expect(await read({ toMs: -1 })).toEqual([])
  expect((await store.history({ ...range, stepSeconds: 7 })).stepSeconds).toBe(7)
  // In JSON a frame has the numbers that it has as an object, and its times in words.
  const { timeMs, marks, ...rest } = first
  const time = (ms: number): string => new Date(ms).toISOString()
  expect((await read())[first.seq - 1]).toEqual({
    ...rest,
    time: time(timeMs),
    marks: marks.map(({ timeMs: at, ...mark }) => ({ ...mark, time: time(at) })),
  })
  expect((await failure(() => store.history({ ...range, op: 'fly' as 'get' }))).code).toBe('config_invalid')
})

test('a history that was closed answers nothing more', async () => {
  const store = await open()
  const { timeMs } = await frame(store, ({ seq }) => seq > 1)
  const history = await store.history({ fromMs: 0, toMs: timeMs, stepSeconds: 1 })
  history.close()
  await expect.poll(() => history.next()).toBe(null)
})
