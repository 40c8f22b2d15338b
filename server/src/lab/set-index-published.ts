// What experiment set-index repeats: its sets, and what was said of them.
import type { LabRow, Published } from '../schemas/lab.js'

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
      says: 'Even at 100% of the namespace there is only a small degradation.',
      claims: ['whole-in-memory', 'whole-on-device'],
    },
    { says: 'With and without converge at about 5% of the namespace on SSD.', claims: ['converge-on-device'] },
    {
      says: 'In memory the index wins with 4 threads until nearly the whole namespace.',
      claims: ['wins-below-whole'],
    },
    { says: 'In memory with 128 threads it lost at 1 million records.', claims: ['wins-below-whole'], judged: false },
    {
      says: 'Reading records from SSD is about 1000 times slower than from DRAM.',
      claims: ['device-to-memory'],
      judged: false,
    },
  ],
  note:
    '2 billion records of 100 bytes. Without an index Aerospike looks at every record of the namespace; here a scan compares the set column, ' +
    'which lies in memory, and reads only the records of the set.',
}

function row(set: string, records: number, sharePct: number): LabRow {
  return { set, records, sharePct }
}
