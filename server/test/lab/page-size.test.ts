// The experiment page-size: its rows and claims on few records, and that an abort leaves nothing.
import { describe, expect, test } from 'vitest'
import { callerOf } from '../../src/lab/caller.js'
import type { Bench } from '../../src/lab/experiment.js'
import { notesOf, runPageSize } from '../../src/lab/page-size/page-size.js'
import { claimsOf, PAGES, PHASES, type Row } from '../../src/lab/page-size/page-size-claims.js'
import { published } from '../../src/lab/page-size/page-size-published.js'
import { english } from '../../src/sentences/sentence.js'
import { useGateway } from '../gateway.js'

describe('claims', () => {
  const row = (pageBytes: Row['pageBytes'], phase: Row['phase'], throughput: number): Row => ({
    pageBytes,
    phase,
    operation: 'read',
    throughput,
    operationsPerSecond: throughput / 2,
    avgUs: 0,
    minUs: 0,
    p95Us: 0,
    p99Us: 0,
    pagesReadPerOperation: 0,
    bytesReadPerOperation: 0,
    cpuMicrosPerOperation: 0,
  })
  const rows = [
    row(16_384, 'load', 60_256),
    row(16_384, '50/50', 31_936),
    row(16_384, '95/5', 37_392),
    row(16_384, 'read only', 51_480),
    row(65_536, 'load', 50_000),
    row(65_536, '50/50', 18_000),
    row(65_536, '95/5', 28_000),
    row(65_536, 'read only', 32_000),
  ]
  const held = (changed: readonly Row[]) => claimsOf(changed).flatMap(({ id, holds }) => (holds ? [id] : []))

  test('hold where the rows bear them out', () => {
    const names = ['load', '50-50', '95-5', 'read-only']
    expect(held(rows)).toEqual([...names.map((name) => `gain-${name}`), ...names.map((name) => `peer-${name}`)])
    expect(claimsOf(rows).map(({ value }) => value)).toEqual([1.205, 1.774, 1.335, 1.609, 8, 4, 4, 4])
  })

  test.each(PHASES)('those of %s fall with its rows, and no others', (phase) => {
    const changed = (pageBytes: number, throughput: number) =>
      rows.map((one) => (one.pageBytes === pageBytes && one.phase === phase ? { ...one, throughput } : one))
    const id = phase.replaceAll(/\W/g, '-')
    const lost = (those: readonly Row[]) => held(rows).filter((one) => !held(those).includes(one))
    expect(lost(changed(65_536, 60_000))).toEqual([`gain-${id}`])
    expect(lost(changed(16_384, 20_000))).toEqual([`gain-${id}`, `peer-${id}`])
    expect(lost(rows.filter((one) => one.phase !== phase))).toEqual([`gain-${id}`, `peer-${id}`])
  })

  test('each statement names claims that there are', () => {
    const ids = claimsOf(rows).map(({ id }) => id)
    const named = published.statements?.flatMap(({ claims }) => claims) ?? []
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((id) => !ids.includes(id))).toEqual([])
  })
})

test('a disk that is not reached directly is told', () => {
  expect(notesOf(['direct'])).toEqual([])
  for (const access of [[], ['cached'], ['direct', 'cached']] as const)
    expect(notesOf(access).map(english)).toEqual([expect.stringContaining('through the page cache')])
})

describe('a run', () => {
  const gateway = useGateway()
  const size = { records: 2_000, cacheBytes: 128 * 1024 ** 2, warmUpSeconds: 1, seconds: 1 }
  const bench = (signal: AbortSignal, progress: Bench['progress'] = () => undefined): Bench => ({
    api: callerOf(gateway().app),
    scale: 'quick',
    prefix: 'lab-test',
    signal,
    progress,
  })
  const namespaces = async () => (await gateway().ok<{ items: { name: string }[] }>('GET /api/v1/namespaces')).items

  test('has a row for each kind of operation of every phase, and leaves nothing', async () => {
    const seen: string[] = []
    const { rows, claims, parameters, notes } = await runPageSize(
      bench(new AbortController().signal, (says) => seen.push(english(says))),
      size,
    )
    expect(rows.map((row) => `${row['pageBytes']} ${row['phase']} ${row['operation']}`)).toEqual(
      PAGES.flatMap((pageBytes) =>
        ['load insert', '50/50 read', '50/50 update', '95/5 read', '95/5 update', 'read only read'].map(
          (words) => `${pageBytes} ${words}`,
        ),
      ),
    )
    for (const row of rows) {
      expect(row['throughput']).toBeGreaterThan(0)
      expect(row['avgUs']).toBeGreaterThanOrEqual(Number(row['minUs']))
    }
    expect(claims).toHaveLength(8)
    expect(parameters).toMatchObject({ records: 2_000, dataBytes: 2_000_000, cachedIo: false })
    const { access } = parameters
    expect(['direct', 'cached']).toContain(access)
    expect(notes).toHaveLength(access === 'direct' ? 0 : 1)
    expect(seen).toEqual(
      [16, 64].flatMap((kib) => [
        `${kib} KiB: loading 2000 records`,
        ...PHASES.slice(1).map((phase) => `${kib} KiB: measuring ${phase}`),
      ]),
    )
    expect(await namespaces()).toEqual([])
    expect(await gateway().ok('GET /api/v1/workloads')).toMatchObject({ items: [] })
  })

  test.each(['16 KiB: loading', '16 KiB: measuring 50/50'])(
    'that is aborted while %s leaves nothing',
    async (words) => {
      const stop = new AbortController()
      const run = runPageSize(
        bench(stop.signal, (says) => {
          if (english(says).startsWith(words)) stop.abort(new Error('aborted'))
        }),
        size,
      )
      await expect(run).rejects.toThrow('aborted')
      expect(await namespaces()).toEqual([])
    },
  )
})
