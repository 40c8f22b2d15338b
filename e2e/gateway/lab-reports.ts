import { expect } from 'vitest'
import { byScale, scale } from './lab-scale.ts'

// What must be true of the report of each experiment, whoever ran it: its claims are what its rows say.

export interface Report {
  experiment: string
  scale: string
  machine: { cpus: number; memoryBytes: number; device: string }
  rows: Record<string, string | number>[]
  claims: { id: string; says: string; value: number; unit: string; bound: number; holds: boolean }[]
}

export function expectTps(report: Report): void {
  const { machine, rows, claims } = report
  expect(report).toMatchObject({ experiment: 'tps', scale })
  expect(machine.cpus).toBeGreaterThan(0)
  expect(rows.map(({ record, durability }) => `${record} ${durability}`)).toEqual([
    '1k relaxed',
    '2k relaxed',
    '4k relaxed',
    '1k commit',
  ])
  for (const row of rows) {
    expect(row['tps']).toBeGreaterThan(0)
    expect(row['readUnder1msPct']).toBeGreaterThan(0)
    expect(row['databaseBytes']).toBeGreaterThan(byScale(5_000_000, 10_000_000))
    expect(row['steadyAttempts']).toBeGreaterThanOrEqual(1)
    expect(row['steadySeconds']).toBeGreaterThanOrEqual(1)
    expect(row['queueDepth']).toBeGreaterThan(0)
    expect(row['deviceLatencyMs']).toBeGreaterThan(0)
  }
  for (const row of rows.filter(({ steadyTps }) => Number(steadyTps) > 0)) {
    expect(row['steadySeconds']).toBeGreaterThanOrEqual(byScale(1, 2))
    expect(row['readUnder1msPct']).toBeGreaterThanOrEqual(97)
    expect(row['writeUnder1msPct']).toBeGreaterThanOrEqual(99.5)
  }
  const share = (Number(rows[0]?.['steadyTps']) / Number(rows[0]?.['tps'])) * 100
  const steady = claims.find(({ id }) => id === 'steady-share-1k')
  expect(steady?.value).toBeCloseTo(share, 2)
  expect(steady?.holds).toBe(share >= 50)
}

export function expectSetIndex({ experiment, rows, claims }: Report): void {
  expect(experiment).toBe('set-index')
  const ms = (storage: string, set: string, threads: number, index: string): number => {
    const wanted = { storage, set, threads, index, plan: 'auto' }
    const row = rows.find((one) => Object.entries(wanted).every(([key, value]) => one[key] === value))
    return Number(row?.['elapsedMs'])
  }
  const gain = (storage: string, set: string, threads: number): number =>
    ms(storage, set, threads, 'off') / ms(storage, set, threads, 'on')
  for (const storage of ['memory', 'device'])
    for (const set of ['A', 'B', 'C', 'F'])
      for (const threads of [4, 128])
        expect(gain(storage, set, threads), `${storage} ${set} ${threads}`).toBeGreaterThan(0)
  const small = Math.min(gain('memory', 'F', 4), gain('memory', 'F', 128))
  const claim = claims.find(({ id }) => id === 'gain-of-100')
  expect(claim?.value).toBeCloseTo(small, 2)
  expect(claim?.holds).toBe(small >= 10)
  // At smoke the smaller sets fit into blocks that are not full yet.
  const large = byScale(['A'], ['A', 'B', 'C', 'F'])
  const disk = rows.filter(
    ({ storage, outcome, set }) => storage === 'device' && outcome === 'done' && large.includes(String(set)),
  )
  expect(disk.length).toBeGreaterThan(0)
  expect(disk.filter(({ bytesRead }) => !(Number(bytesRead) > 0))).toEqual([])
}

export function expectParallelIndex({ rows, claims, machine }: Report): void {
  const of = (kind: string) => rows.filter((row) => row['kind'] === kind)
  expect(new Set(of('build').map((row) => row['rows']))).toEqual(
    new Set([1, 2, 4, 8].map((multiple) => multiple * byScale(3_100, 27_000))),
  )
  expect(of('load').map((row) => row['indexed'])).toEqual(['no', 'yes'])
  expect(of('query').map((row) => row['matches'])).toEqual(byScale([2, 1, 2, 1], [13, 2, 13, 2]))
  for (const row of rows) expect(row['elapsedMs']).toBeGreaterThan(0)
  const [plain, indexed] = of('load').map((row) => Number(row['rowsPerSecond']))
  expect(claims.find(({ id }) => id === 'indexed-load')?.value).toBeCloseTo(Number(indexed) / Number(plain), 2)
  expect(claims.some(({ id }) => id === 'speedup')).toBe(machine.cpus >= 2)
}

export function expectSegments({ rows, claims }: Report): void {
  expect(rows.map(({ container, operation, threads }) => `${operation} ${threads} ${container}`)).toEqual(
    ['size 1', 'iterate 1', 'get 1', 'put 1', 'get 2', 'put 2'].flatMap((task) => [
      `${task} flat`,
      `${task} segmented`,
    ]),
  )
  for (const { operation, opsPerSecond, ratio, low, high, pairs } of rows) {
    expect(opsPerSecond, String(operation)).toBeGreaterThan(0)
    expect([Number(low) <= Number(ratio), Number(ratio) <= Number(high)], String(operation)).toEqual([true, true])
    expect(pairs).toBeGreaterThanOrEqual(byScale(4, 16))
  }
  const ratio = (operation: string) => Number(rows.find((row) => row['operation'] === operation)?.['ratio'])
  expect(claims.map(({ id }) => id)).toEqual(expect.arrayContaining(['get', 'put']))
  for (const { id, value, bound, holds } of claims) {
    const apart = ['get', 'put'].includes(id)
    expect(value, id).toBeCloseTo(apart ? Math.abs(ratio(id) - 1) * 100 : ratio(id), 2)
    expect(holds, id).toBe(apart ? value <= bound : value >= bound)
  }
}

export function expectPageSize({ rows, claims }: Report): void {
  const of = (pageBytes: number) => rows.filter((row) => row['pageBytes'] === pageBytes)
  for (const pageBytes of [16_384, 65_536])
    expect(of(pageBytes).map(({ phase, operation }) => `${phase}: ${operation}`)).toEqual([
      'load: insert',
      '50/50: read',
      '50/50: update',
      '95/5: read',
      '95/5: update',
      'read only: read',
    ])
  for (const row of rows) {
    expect(row['throughput']).toBeGreaterThanOrEqual(Number(row['operationsPerSecond']))
    expect(row['minUs']).toBeLessThanOrEqual(Number(row['avgUs']))
    expect(row['p95Us']).toBeLessThanOrEqual(Number(row['p99Us']))
  }
  // The cache is a part of the data, so that reads come from the disk.
  for (const row of rows.filter(({ phase }) => phase !== 'load'))
    expect(row['pagesReadPerOperation']).toBeGreaterThan(byScale(0, 0.05))
  const rate = (pageBytes: number) => Number(of(pageBytes).find(({ phase }) => phase === 'read only')?.['throughput'])
  const gain = claims.find(({ id }) => id === 'gain-read-only')
  expect(gain?.value).toBeCloseTo(rate(16_384) / rate(65_536), 2)
  expect(gain?.holds).toBe(rate(16_384) / rate(65_536) >= 1.6)
  const peer = claims.find(({ id }) => id === 'peer-read-only')
  expect(peer?.value).toBeCloseTo(rate(16_384) / 12_870, 2)
}
