// The experiment segments: its rows and claims from pairs, that entries go to their owners, and a run on few entries.
import { describe, expect, test } from 'vitest'
import { callerOf } from '../../src/lab/caller.js'
import type { Bench } from '../../src/lab/experiment.js'
import { runSegments, type Size } from '../../src/lab/segments/segments.js'
import {
  claimsOf,
  CONTAINERS,
  OPERATIONS,
  type Pair,
  type Row,
  rowsOf,
  TASKS,
} from '../../src/lab/segments/segments-claims.js'
import { checkDigests, loadOwned, segmentsOf } from '../../src/lab/segments/segments-data.js'
import { published } from '../../src/lab/segments/segments-published.js'
import { english } from '../../src/sentences/sentence.js'
import { useGateway } from '../gateway.js'

/** Five pairs whose ratios have the given median. */
const pairs = (ratio: number): Pair[] =>
  [0.5, 0.9, 1, 1.1, 4].map((noise) => ({ flat: 1000, segmented: 1000 * ratio * noise }))

describe('rows and claims', () => {
  const rows = (ratios: Partial<Record<Row['operation'], number>> = {}): Row[] =>
    TASKS.flatMap((task) => {
      const alone = { size: 3.2, iterate: 1.06, get: 1.005, put: 0.995, ...ratios }[task.operation]
      // By two threads it is something else, of which nothing is claimed.
      return rowsOf(task, pairs(task.threads === 1 ? alone : 1.7))
    })
  const held = (changed: readonly Row[]) => claimsOf(changed).flatMap(({ id, holds }) => (holds ? [id] : []))

  test('a ratio is the median of the pairs, told with their quartiles', () => {
    expect(rowsOf({ operation: 'size', threads: 1 }, pairs(2))).toEqual(
      [1000, 2000].map((opsPerSecond, at) => ({
        container: CONTAINERS[at],
        operation: 'size',
        threads: 1,
        opsPerSecond,
        per: 'sizes/s',
        ratio: 2,
        low: 1.8,
        high: 2.2,
        pairs: 5,
      })),
    )
  })

  test('rates are those of the pair with the ratio, so that they never tell another story', () => {
    // The medians of the rates are 100 and 110, while segmented is slower in most pairs.
    const uneven = [
      [100, 99],
      [50, 130],
      [120, 110],
      [115, 112],
      [90, 140],
    ].map(([flat = 0, segmented = 0]) => ({ flat, segmented }))
    const told = rowsOf({ operation: 'iterate', threads: 1 }, uneven)
    expect(told.map(({ opsPerSecond, ratio }) => [opsPerSecond, ratio])).toEqual([
      [100, 0.99],
      [99, 0.99],
    ])
    expect(rowsOf({ operation: 'size', threads: 1 }, [])).toMatchObject([{ ratio: 0, low: 0, high: 0 }, { pairs: 0 }])
  })

  test('claims hold where the rows bear them out', () => {
    expect(claimsOf(rows()).map(({ id, value, bound, holds }) => [id, value, bound, holds])).toEqual([
      ['size', 3.2, 3, true],
      ['iterate', 1.06, 1.05, true],
      ['get', 0.5, 1, true],
      ['put', 0.5, 1, true],
    ])
  })

  test.each([
    ['size', 2.9],
    ['iterate', 1.04],
    ['get', 1.011],
    ['put', 0.989],
  ] as const)('that of %s falls with its rows, and no other', (operation, ratio) => {
    expect(held(rows({ [operation]: ratio }))).toEqual(OPERATIONS.filter((one) => one !== operation))
    expect(held(rows().filter((row) => row.operation !== operation))).toEqual(
      OPERATIONS.filter((one) => one !== operation),
    )
  })

  test('each statement names claims that there are, and each operation was published', () => {
    const ids = claimsOf(rows()).map(({ id }) => id)
    const named = published.statements?.flatMap(({ claims }) => claims) ?? []
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((id) => !ids.includes(id))).toEqual([])
    expect(published.rows.map(({ operation }) => operation)).toEqual([...OPERATIONS])
  })
})

describe('a run', () => {
  const gateway = useGateway()
  const size: Size = { entries: 2_000, pairs: 4, pointPairs: 2, sharedPairs: 1, seconds: 1 }
  const bench = (signal: AbortSignal, progress: Bench['progress'] = () => undefined): Bench => ({
    api: callerOf(gateway().app),
    scale: 'quick',
    prefix: 'lab-test',
    signal,
    progress,
  })
  const still = (): Bench => bench(new AbortController().signal)
  const namespaces = async () => (await gateway().ok<{ items: { name: string }[] }>('GET /api/v1/namespaces')).items

  test('digests are those of the server', async () => {
    await checkDigests(still())
    expect(await namespaces()).toEqual([])
  })

  test('every entry is at its owners, and at one of them as primary', async () => {
    const [entries, nodes, owners] = [600, 3, 2]
    const segments = await segmentsOf(entries, 16)
    const primaries: number[] = []
    let held = 0
    for (const self of [0, 1, 2]) {
      const name = `node-${self}`
      const config = { name, storage: { engine: 'memory' }, segments: 16, ownership: { nodes, owners, self } }
      await gateway().ok('POST /api/v1/namespaces', { body: config })
      primaries.push(await loadOwned(still(), name, self, segments, 10))
      const { records } = await gateway().ok<{ records: number }>(`GET /api/v1/namespaces/${name}`)
      held += records
      await gateway().ok(`DELETE /api/v1/namespaces/${name}`, { headers: { 'x-confirm': name } })
      // By a wrong map: the node has as many entries as it was sent, and is not primary of those that it should be.
      await gateway().ok('POST /api/v1/namespaces', { body: config })
      const wrong = segments.map((segment) => (segment + 1) % 16)
      await expect(loadOwned(still(), name, self, wrong, 10)).rejects.toThrow(
        /is the primary owner of \d+ entries, but counts/,
      )
      await gateway().ok(`DELETE /api/v1/namespaces/${name}`, { headers: { 'x-confirm': name } })
    }
    expect(primaries.reduce((sum, count) => sum + count, 0)).toBe(entries)
    expect(held).toBe(entries * owners)
  })

  test('has a row for each task on either container, and leaves nothing', async () => {
    const seen: string[] = []
    const signal = new AbortController().signal
    const { rows, claims, parameters } = await runSegments(
      bench(signal, (says) => seen.push(english(says))),
      size,
    )
    expect(
      rows.map(({ container, operation, threads, per, pairs: count }) => [container, operation, threads, per, count]),
    ).toEqual(
      (
        [
          ['size', 1, 'sizes/s', 4],
          ['iterate', 1, 'entries/s', 4],
          ['get', 1, 'gets/s', 2],
          ['put', 1, 'puts/s', 2],
          ['get', 2, 'gets/s', 1],
          ['put', 2, 'puts/s', 1],
        ] as const
      ).flatMap(([operation, threads, per, count]) =>
        CONTAINERS.map((container) => [container, operation, threads, per, count]),
      ),
    )
    for (const row of rows) {
      expect(row['opsPerSecond']).toBeGreaterThan(0)
      expect(row['low']).toBeLessThanOrEqual(Number(row['ratio']))
      expect(row['high']).toBeGreaterThanOrEqual(Number(row['ratio']))
    }
    expect(claims.map(({ id }) => id)).toEqual([...OPERATIONS])
    const published = { valueBytes: 1000, batch: 4096, nodes: 4, owners: 2, segments: 256 }
    expect(parameters).toMatchObject({ ...size, ...published })
    expect(seen).toContain('node 3 of 4: loading its entries, segmented')
    expect(seen).toContain('put: pair 2 of 2')
    expect(seen).toContain('put by 2 threads: pair 1 of 1')
    expect(await namespaces()).toEqual([])
    expect(await gateway().ok('GET /api/v1/workloads')).toMatchObject({ items: [] })
  })

  test.each(['node 1 of 4', 'iterate: pair 1'])('that is aborted at %s leaves nothing', async (words) => {
    const stop = new AbortController()
    const run = runSegments(
      bench(stop.signal, (says) => {
        if (english(says).startsWith(words)) stop.abort(new Error('aborted'))
      }),
      size,
    )
    await expect(run).rejects.toThrow('aborted')
    expect(await namespaces()).toEqual([])
  })
})
