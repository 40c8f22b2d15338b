// The experiment parallel-index: its rows and claims on few events, and that an abort leaves nothing.
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { callerOf } from '../../src/lab/caller.js'
import type { Bench } from '../../src/lab/experiment.js'
import { runParallelIndex } from '../../src/lab/parallel-index/parallel-index.js'
import { claimsOf, matchesOf, type Row } from '../../src/lab/parallel-index/parallel-index-claims.js'
import { published } from '../../src/lab/parallel-index/parallel-index-published.js'
import { english } from '../../src/sentences/sentence.js'
import { useGateway } from '../gateway.js'

test('the matches are those that the generator marks', () => {
  const of = (rows: number) => [matchesOf('all', rows), matchesOf('one', rows)]
  expect([0, 1000, 1001, 3001, 218_934, 219_000].map(of)).toEqual([
    [0, 0],
    [0, 0],
    [1, 1],
    [2, 1],
    [109, 11],
    [109, 11],
  ])
})

describe('claims', () => {
  const build = (rows: number, threads: number, elapsedMs: number): Row => ({
    kind: 'build',
    rows,
    threads,
    elapsedMs,
    rowsPerSecond: 0,
    speedup: rows / 100 / elapsedMs,
  })
  const load = (indexed: 'yes' | 'no', rowsPerSecond: number): Row => ({
    kind: 'load',
    rows: 27_000,
    threads: 2,
    indexed,
    elapsedMs: 1,
    rowsPerSecond,
  })
  const query = (which: 'all' | 'one', indexed: 'yes' | 'no', elapsedMs: number, matches: number): Row => ({
    kind: 'query',
    query: which,
    rows: 27_000,
    indexed,
    elapsedMs,
    matches,
  })
  const rows: Row[] = [
    build(27_000, 1, 270),
    build(27_000, 2, 140),
    build(216_000, 1, 2160),
    build(216_000, 2, 1130),
    load('no', 400_000),
    load('yes', 300_000),
    query('all', 'no', 12, 13),
    query('all', 'yes', 0.5, 13),
    query('one', 'no', 2, 2),
    query('one', 'yes', 0.1, 2),
  ]
  const held = (changed: readonly Row[]) => claimsOf(changed).flatMap(({ id, holds }) => (holds ? [id] : []))

  test('hold where the rows bear them out', () => {
    expect(held(rows)).toEqual(['growth', 'speedup', 'indexed-load', 'matches', 'one-repository', 'gain'])
    expect(claimsOf(rows).map(({ value }) => value)).toEqual([1.009, 1.912, 0.75, 0, 0.2, 24])
  })

  test.each([
    ['growth', build(216_000, 2, 1400)],
    ['indexed-load', load('yes', 150_000)],
    ['matches', query('one', 'no', 2, 3)],
    ['one-repository', query('one', 'yes', 0.6, 2)],
    ['gain', query('all', 'yes', 4, 13)],
  ])('%s falls with its row', (id, worse) => {
    const like = (row: Row) =>
      (['kind', 'rows', 'threads', 'query', 'indexed'] as const).map(
        (key) => ({ ...row } as Partial<Record<string, unknown>>)[key],
      )
    const changed = rows.map((row) => (String(like(row)) === String(like(worse)) ? worse : row))
    expect(held(changed)).not.toContain(id)
  })

  test('two threads are not spoken of where there was one', () => {
    const alone = rows.filter((row) => row.kind !== 'build' || row.threads === 1)
    expect(claimsOf(alone).map(({ id }) => id)).not.toContain('speedup')
  })

  test('each statement names claims that there are', () => {
    const ids = claimsOf(rows).map(({ id }) => id)
    const named = published.statements?.flatMap(({ claims }) => claims) ?? []
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((id) => !ids.includes(id))).toEqual([])
  })
})

describe('a run', () => {
  const gateway = useGateway({ defaultThreads: 2 })
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('tessera-lab-events-'))
  const bench = (signal: AbortSignal, progress: Bench['progress'] = () => undefined): Bench => ({
    api: callerOf(gateway().app),
    scale: 'quick',
    prefix: 'lab-test',
    signal,
    progress,
  })
  const namespaces = async () => (await gateway().ok<{ items: object[] }>('GET /api/v1/namespaces')).items

  test('has a row for every build, load and query, finds what was generated, and leaves nothing', async () => {
    const before = left()
    const { rows, claims } = await runParallelIndex(bench(new AbortController().signal), {
      rows: 3_100,
      rounds: 1,
      queries: 3,
    })
    const kinds = rows.map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'load')).toHaveLength(2)
    expect(kinds.filter((kind) => kind === 'query')).toHaveLength(4)
    expect(new Set(rows.filter(({ kind }) => kind === 'build').map((row) => row['rows']))).toEqual(
      new Set([3_100, 6_200, 12_400, 24_800]),
    )
    expect(rows.filter(({ kind }) => kind === 'query').map((row) => row['matches'])).toEqual([2, 1, 2, 1])
    expect(claims.find(({ id }) => id === 'matches')).toMatchObject({ value: 0, holds: true })
    expect(await namespaces()).toEqual([])
    expect(left()).toEqual(before)
  })

  test.each(['making', 'loading', 'building', 'querying'])('that is aborted while %s leaves nothing', async (word) => {
    const before = left()
    const stop = new AbortController()
    const run = runParallelIndex(
      bench(stop.signal, (says) => {
        if (english(says).startsWith(word)) stop.abort(new Error('aborted'))
      }),
      { rows: 3_100, rounds: 1, queries: 3 },
    )
    await expect(run).rejects.toThrow('aborted')
    expect(await namespaces()).toEqual([])
    expect(left()).toEqual(before)
  })
})
