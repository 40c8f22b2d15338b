// What experiment parallel-index repeats: the figures of one table and of a distributed one, and what was said of them.
import type { LabRow, Published } from '../schemas/lab.js'

export const published: Published = {
  columns: [
    { key: 'what', label: 'what' },
    { key: 'rows', label: 'rows' },
    { key: 'oneTableMs', label: 'one table ms' },
    { key: 'distributedMs', label: 'distributed ms' },
    { key: 'gain', label: 'gain ×' },
  ],
  rows: [
    row('index build', 218_934, 33_200, 2_600),
    row('index build', 437_868, 55_900, 3_200),
    row('index build', 875_736, 110_900, 5_000),
    row('index build', 1_751_472, 218_200, 8_900),
    row('load, no index', 218_934, 18_900, 12_400),
    row('load, with index', 218_934, 49_300, 12_900),
    row('query all repositories, no index', 218_934, 900, 68),
    row('query all repositories, with index', 218_934, 2, 11),
    row('query one repository, no index', 218_934, 900, 28),
    row('query one repository, with index', 218_934, 2, 2),
  ],
  statements: [
    { says: 'An index is built faster the more workers build it.', claims: ['speedup'] },
    { says: 'The gain grows with the rows: 13 times at 219 thousand, 25 times at 1.8 million.', claims: ['growth'] },
    { says: 'With the index kept, a distributed load is hardly slower.', claims: ['indexed-load'] },
    { says: 'A query over all repositories takes 68 ms without the index and 11 ms with it.', claims: ['gain'] },
    { says: 'A query of one repository asks one shard, and is faster.', claims: ['one-repository'] },
  ],
  note:
    'PostgreSQL, and PostgreSQL distributed over 4 workers of 4 cores by repo_id, with a GIN index over the payload of events of the GitHub Archive. ' +
    'Here one machine, and generated events of that shape.',
}

function row(what: string, rows: number, oneTableMs: number, distributedMs: number): LabRow {
  return { what, rows, oneTableMs, distributedMs, gain: Math.round((oneTableMs / distributedMs) * 10) / 10 }
}
