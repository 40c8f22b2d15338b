// The experiment set-index: its sets, its rows and claims on a small namespace, and that an abort leaves nothing.
import { describe, expect, test } from 'vitest'
import { callerOf } from '../../src/lab/caller.js'
import type { Bench } from '../../src/lab/experiment.js'
import { runSetIndex } from '../../src/lab/set-index/set-index.js'
import { claimsOf } from '../../src/lab/set-index/set-index-claims.js'
import { published } from '../../src/lab/set-index/set-index-published.js'
import { median, type Row } from '../../src/lab/set-index/set-index-rounds.js'
import { setsOf } from '../../src/lab/set-index/set-index-sets.js'
import { english } from '../../src/sentences/sentence.js'
import { useGateway } from '../gateway.js'
import { isLong } from '../long.js'

/** Enough that 100 records are less than 0.05%; the time is over at once, so that everything is measured once. */
const small = { records: 220_000, seconds: 0, wholeSeconds: 0, gainOf100: 10 }

test('sets are shares of the namespace, and sizes of their own where those are smaller', () => {
  const words = (records: number) => setsOf(records).map((size) => `${size.set} ${size.records}`)
  expect(words(2_000_000)).toEqual(['A 2000000', 'B 100000', 'C 1000', 'F 100'])
  expect(words(20_000_000)).toEqual(['A 20000000', 'B 1000000', 'C 10000', 'E 1000', 'F 100'])
  expect(words(2_000_000_000)).toEqual(['A 2000000000', 'B 100000000', 'C 1000000', 'D 10000', 'E 1000', 'F 100'])
})

test('the median is the middle one, or between the two in the middle', () => {
  expect([median([3, 1, 2]), median([10, 1, 2, 4]), median([])]).toEqual([2, 3, 0])
})

describe('claims', () => {
  const ms: Record<string, [off: number, on: number]> = {
    'memory A': [100, 101],
    'memory B': [6, 5],
    'memory C': [0.4, 0.1],
    'memory F': [0.3, 0.02],
    'device A': [400, 400],
    'device B': [300, 290],
    'device C': [11, 10],
    'device F': [2.5, 2],
  }
  const sets = setsOf(2_000_000)
  /** All rows with the times above, as many threads as there may be; each time may be changed. */
  function rows(change: (row: Row) => Partial<Row> = () => ({})): Row[] {
    const row = (fields: Partial<Row>): Row => {
      const made = { namespaceRecords: 2_101_100, method: fields.plan, outcome: 'done', ...fields } as Row
      const changed = { ...made, ...change(made) } as Row
      return { ...changed, fastestMs: changed.elapsedMs * 0.9 }
    }
    return (['memory', 'device'] as const).flatMap((storage) =>
      sets.flatMap(({ set, records }) =>
        [2, 4, 128].flatMap((threads) => {
          const [off, on] = ms[`${storage} ${set}`] ?? [0, 0]
          const base = { storage, set, records, threads }
          return [
            row({ ...base, index: 'off', plan: 'auto', method: 'set-column', elapsedMs: off }),
            row({ ...base, index: 'on', plan: 'auto', method: 'set-index', elapsedMs: on }),
            row({ ...base, index: 'on', plan: 'set-index', elapsedMs: on * 1.05 }),
            row({ ...base, index: 'on', plan: 'set-column', elapsedMs: off }),
            row({ ...base, index: 'on', plan: 'device', outcome: 'stopped', elapsedMs: on * 2 }),
          ]
        }),
      ),
    )
  }
  const verdicts = (given: Row[]) => new Map(claimsOf(given, 10).map((one) => [one.id, one]))
  const value = (given: Row[], id: string) => verdicts(given).get(id)?.value

  test('follow from the rows', () => {
    const all = verdicts(rows())
    expect([...all.values()].filter(({ holds }) => !holds)).toEqual([])
    expect(all.get('gain-of-100')?.value).toBe(15)
    expect(all.get('whole-in-memory')?.value).toBe(1)
    expect(all.get('wins-below-whole')?.value).toBe(1.2)
    expect(all.get('gain-grows')?.value).toBe(Number((1.2 / (100 / 101)).toFixed(3)))
    expect(all.get('column-cost')?.value).toBe(Number((0.3e6 / 2_101_100).toFixed(3)))
    expect(all.get('device-to-memory')?.value).toBe(100)
    expect(all.get('planner-on-device')?.value).toBe(0)
  })

  test('a smaller set that gains less fails, but not by noise', () => {
    const slow = (factor: number) =>
      rows(({ storage, set, index, threads, elapsedMs }) =>
        storage === 'memory' && set === 'B' && index === 'on' && threads === 128
          ? { elapsedMs: elapsedMs * factor }
          : {},
      )
    expect(verdicts(slow(1.25)).get('gain-grows')?.holds).toBe(true)
    expect(verdicts(slow(1.4)).get('gain-grows')?.holds).toBe(false)
    expect(verdicts(slow(1.4)).get('wins-below-whole')?.holds).toBe(false)
  })

  test('the worse of the thread counts decides the gain of the small set; two threads are for its cost only', () => {
    const at = (threads: number) =>
      rows((row) => (row.storage === 'memory' && row.set === 'F' && row.threads === threads ? { elapsedMs: 0.2 } : {}))
    expect(value(at(128), 'gain-of-100')).toBe(1)
    expect(value(at(2), 'gain-of-100')).toBe(15)
    expect(value(at(2), 'column-cost')).toBe(Number((0.2e6 / 2_101_100).toFixed(3)))
  })

  test('a choice that was not the best plan is told; its own plan, forced and slower, is not', () => {
    const bySlot = rows((row) =>
      row.storage === 'device' && row.set === 'B' && row.threads === 4 && row.plan === 'device'
        ? { outcome: 'done', elapsedMs: 200 }
        : {},
    )
    expect(value(bySlot, 'planner-on-device')).toBe(45)
    const noise = rows((row) =>
      row.storage === 'device' && row.plan === 'set-index' ? { elapsedMs: row.elapsedMs * 2 } : {},
    )
    expect(value(noise, 'planner-on-device')).toBe(0)
  })

  test('the worse of the thread counts decides whether they converge, whichever way they differ', () => {
    for (const factor of [0.5, 2]) {
      const apart = rows((row) =>
        row.storage === 'device' && row.set === 'B' && row.threads === 128 && row.index === 'off'
          ? { elapsedMs: 290 * factor }
          : {},
      )
      expect(verdicts(apart).get('converge-on-device')).toMatchObject({ value: 2, holds: false })
    }
  })

  test('a device that reads no slower than memory does not hold', () => {
    const fast = rows((row) => (row.storage === 'device' && row.set === 'C' ? { elapsedMs: 0.9 } : {}))
    expect(verdicts(fast).get('device-to-memory')).toMatchObject({ value: 9, bound: 10, holds: false })
  })

  test('what was said in public names claims that there are', () => {
    const ids = claimsOf(rows(), 10).map(({ id }) => id)
    expect(published.statements?.flatMap(({ claims }) => claims).filter((id) => !ids.includes(id))).toEqual([])
  })
})

describe('on a gateway', () => {
  const gateway = useGateway()
  const bench = (signal: AbortSignal, progress: Bench['progress'] = () => undefined): Bench => ({
    api: callerOf(gateway().app),
    scale: 'quick',
    prefix: 'lab-small',
    signal,
    progress,
  })

  test('every combination has a row, and every set is met whole', async () => {
    const told: string[] = []
    const { rows, claims, parameters } = await runSetIndex(
      bench(new AbortController().signal, (says) => told.push(english(says))),
      small,
    )
    const measured = rows as Row[]
    const scans = (storage: string, plan = 'auto') =>
      measured
        .filter((row) => row.storage === storage && row.plan === plan)
        .map((row) => `${row.set} ${row.threads} ${row.index}`)
    const each = (threads: number[], sets: string[], states = ['off', 'on']) =>
      sets.flatMap((set) => threads.flatMap((count) => states.map((state) => `${set} ${count} ${state}`)))
    expect(scans('memory')).toEqual([...each([4, 128], ['A', 'B', 'C']), ...each([2, 4, 128], ['F'])])
    expect(scans('device')).toEqual(each([4, 128], ['A', 'B', 'C', 'F']))
    for (const plan of ['device', 'set-index', 'set-column'])
      expect(scans('device', plan)).toEqual(each([4, 128], ['A', 'B', 'C', 'F'], ['on']))
    for (const row of measured.filter(({ outcome }) => outcome === 'done')) {
      expect(row.recordsRead).toBe(row.records)
      expect(row.elapsedMs).toBeGreaterThan(0)
      expect(row.fastestMs).toBeLessThanOrEqual(row.elapsedMs)
    }
    // The smaller sets of this size fit into blocks of the device that are not full yet.
    const reads = (storage: string) => measured.filter((row) => row.storage === storage && row.set === 'A')
    expect(reads('memory').filter(({ bytesRead }) => bytesRead > 0)).toEqual([])
    expect(Math.max(...reads('device').map(({ bytesRead }) => bytesRead))).toBeGreaterThan(220_000 * 100)
    for (const row of measured) expect(row.indexBytes > 0).toBe(row.index === 'on')
    expect(measured.filter(({ storage }) => storage === 'memory').map(({ outcome }) => outcome)).not.toContain(
      'stopped',
    )
    expect(measured.find(({ storage, index }) => storage === 'memory' && index === 'off')?.method).toBe('set-column')
    expect(measured.find(({ storage, index }) => storage === 'memory' && index === 'on')?.method).toBe('set-index')
    expect(claims).toEqual(claimsOf(measured, 10))
    expect(parameters).toMatchObject({ records: 220_000, recordBytes: 100, threads: [4, 128] })
    expect(told[0]).toBe('memory, A: writing 220000 records')
    expect(told).toContain('device: calibrating')
    expect(await gateway().ok('GET /api/v1/namespaces')).toMatchObject({ items: [] })
  })

  // To come to the last one takes as long as a whole run.
  const moments = ['memory, A: writing', 'memory, B: scanning', 'device: calibrating']
  test.each(isLong ? [...moments, 'device, A: scanning'] : moments)(
    'aborted at "%s" it keeps no namespace and no scan',
    async (moment) => {
      const stop = new AbortController()
      const run = runSetIndex(
        bench(stop.signal, (says) => {
          if (english(says).startsWith(moment)) stop.abort(new Error('stopped by the test'))
        }),
        small,
      )
      await expect(run).rejects.toThrow('stopped by the test')
      expect(await gateway().ok('GET /api/v1/namespaces')).toMatchObject({ items: [] })
      expect(await gateway().ok('GET /api/v1/jobs?state=running')).toMatchObject({ items: [] })
    },
  )
})
