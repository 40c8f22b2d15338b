// What the rows of experiment parallel-index say.
import type { Claim } from '../../schemas/jobs/lab.js'
import { claim } from '../experiment.js'
import { say } from '../../sentences/sentence.js'

export type BuildRow = {
  kind: 'build'
  rows: number
  threads: number
  elapsedMs: number
  rowsPerSecond: number
  /** Speed-up against one thread with as many rows. */
  speedup: number
}

export type LoadRow = {
  kind: 'load'
  rows: number
  threads: number
  indexed: 'yes' | 'no'
  elapsedMs: number
  rowsPerSecond: number
}

export type QueryRow = {
  kind: 'query'
  query: 'all' | 'one'
  rows: number
  indexed: 'yes' | 'no'
  /** Time in the engine, median. */
  elapsedMs: number
  matches: number
}

export type Row = BuildRow | LoadRow | QueryRow

/**
 * Matches among the first `rows` generated events: from row 1,000 on, every 2,000th in all
 * repositories, every 20,000th in the known one.
 */
export function matchesOf(query: QueryRow['query'], rows: number): number {
  const every = query === 'all' ? 2_000 : 20_000
  return Math.ceil(Math.max(0, rows - 1_000) / every)
}

/** With one processor there is no claim about two threads. */
export function claimsOf(rows: readonly Row[]): Claim[] {
  const builds = rows.filter((row) => row.kind === 'build')
  const [threads, most, least] = [
    Math.max(...builds.map((row) => row.threads)),
    Math.max(...builds.map((row) => row.rows)),
    Math.min(...builds.map((row) => row.rows)),
  ]
  const perRow = (wanted: number): number => {
    const build = builds.find((row) => row.rows === wanted && row.threads === threads)
    return build === undefined ? 0 : build.elapsedMs / build.rows
  }
  const two = builds.find((row) => row.rows === most && row.threads === 2)
  const rate = (indexed: LoadRow['indexed']): number =>
    rows.filter((row) => row.kind === 'load').find((row) => row.indexed === indexed)?.rowsPerSecond ?? 0
  const queries = rows.filter((row) => row.kind === 'query')
  const ms = (query: QueryRow['query'], indexed: QueryRow['indexed']): number =>
    queries.find((row) => row.query === query && row.indexed === indexed)?.elapsedMs ?? 0
  const wrong = queries.filter((row) => row.matches !== matchesOf(row.query, row.rows))
  return [
    claim(
      'growth',
      say('building over {most} times as many rows takes no longer per row', { most: most / least }),
      ratio(perRow(most), perRow(least)),
      '×',
      1.15,
      true,
    ),
    ...(two === undefined
      ? []
      : [claim('speedup', say('2 threads build faster than 1, over {most} rows', { most }), two.speedup, '×', 1.8)]),
    claim(
      'indexed-load',
      say('loading with the index, against loading without it'),
      ratio(rate('yes'), rate('no')),
      '×',
      0.5,
    ),
    claim('matches', say('queries that find other rows than the generated ones'), wrong.length, 'queries', 0, true),
    claim(
      'one-repository',
      say('a query for one repository against a query for all, both with the index'),
      ratio(ms('one', 'yes'), ms('all', 'yes')),
      '×',
      1,
      true,
    ),
    claim(
      'gain',
      say('a query for all repositories with the index, against without it'),
      ratio(ms('all', 'no'), ms('all', 'yes')),
      '×',
      6,
    ),
  ]
}

const ratio = (a: number, b: number): number => (b > 0 ? a / b : 0)
