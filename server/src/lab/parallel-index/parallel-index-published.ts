// Published figures and statements that experiment parallel-index repeats: one table, and a distributed one.
import type { LabRow, Published } from '../../schemas/jobs/lab.js'

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
    { says: 'An index builds faster with more workers.', claims: ['speedup'] },
    { says: 'The gain grows with the rows: 13 times at 219 thousand, 25 times at 1.8 million.', claims: ['growth'] },
    { says: 'Maintaining the index hardly slows a distributed load.', claims: ['indexed-load'] },
    { says: 'A query over all repositories takes 68 ms without the index and 11 ms with it.', claims: ['gain'] },
    { says: 'A query for one repository reads one shard and is faster.', claims: ['one-repository'] },
  ],
  note: 'PostgreSQL on one machine, and distributed by repo_id over 4 workers with 4 cores each. A GIN index covers the payload of GitHub Archive events. Here: one machine, and generated events of the same shape.',
}

function row(what: string, rows: number, oneTableMs: number, distributedMs: number): LabRow {
  return { what, rows, oneTableMs, distributedMs, gain: Math.round((oneTableMs / distributedMs) * 10) / 10 }
}
