// Published sets and statements that experiment set-index repeats.
import type { LabRow, Published } from '../../schemas/jobs/lab.js'

export const published: Published = {
  columns: [
    { key: 'set', label: 'set' },
    { key: 'records', label: 'records' },
    { key: 'sharePct', label: 'of the namespace %' },
  ],
  rows: [
    row('A', 2e9, 100),
    row('B', 100e6, 5),
    row('C', 1e6, 0.05),
    row('D', 10_000, 0.0005),
    row('E', 1_000, 0.00005),
    row('F', 100, 0.000005),
  ],
  statements: [
    { says: 'The smaller the set, the larger the gain.', claims: ['gain-grows', 'gain-of-100'] },
    {
      says: 'Even a set with 100% of the namespace is only slightly slower with the index.',
      claims: ['whole-in-memory', 'whole-on-device'],
    },
    {
      says: 'On SSD, scans with and without the index take equally long at about 5% of the namespace.',
      claims: ['converge-on-device'],
    },
    {
      says: 'In memory with 4 threads, the index wins up to nearly the whole namespace.',
      claims: ['wins-below-whole'],
    },
    {
      says: 'In memory with 128 threads, the index lost at 1 million records.',
      claims: ['wins-below-whole'],
      judged: false,
    },
    {
      says: 'Reading records from SSD takes about 1000 times as long as from DRAM.',
      claims: ['device-to-memory'],
      judged: false,
    },
  ],
  note: '2 billion records of 100 bytes. Without an index, Aerospike reads every record of the namespace. Here a scan reads the set column, which is in memory, and then only the records of the set.',
}

function row(set: string, records: number, sharePct: number): LabRow {
  return { set, records, sharePct }
}
