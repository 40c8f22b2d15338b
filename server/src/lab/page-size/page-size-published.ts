// Published figures and statements that experiment page-size repeats: pages of 64 KB and 16 KB under YCSB.
import type { LabRow, Published } from '../../schemas/jobs/lab.js'

export const published: Published = {
  columns: [
    { key: 'phase', label: 'phase' },
    { key: 'operation', label: 'operation' },
    ...columnsOf('64', '64 KB'),
    ...columnsOf('16', '16 KB'),
    { key: 'gain', label: 'gain ×' },
  ],
  rows: [
    {
      phase: 'load',
      operation: 'insert',
      ...figures('64', { totalSeconds: 66_721, avgUs: 2659, p95Us: 1935, p99Us: 3647 }),
      ...figures('16', { totalSeconds: 41_461, avgUs: 1650, p95Us: 1770, p99Us: 2481 }),
      gain: 1.61,
    },
    row('50/50', 'read', [3494, 2290, 1616, 18_895], [6668, 1200, 787, 1353], 1.9),
    row('50/50', 'update', [1088, 7351, 3161, 72_191], [1587, 5040, 1308, 2781], 1.45),
    row('95/5', 'read', [10_767, 743, 1407, 3575], [14_288, 560, 668, 1096], 1.32),
    row('95/5', 'update', [3421, 2338, 2319, 7059], [3210, 2492, 1049, 2615]),
    row('read only', 'read', [16_538, 484, 1252, 1825], [30_327, 264, 583, 823], 1.8),
  ],
  statements: [
    { says: 'A load takes 1.61 times as long with pages of 64 KB.', claims: ['gain-load', 'peer-load'] },
    {
      says: 'Half reads and half updates: 1.9 times the reads and 1.45 times the updates with pages of 16 KB.',
      claims: ['gain-50-50', 'peer-50-50'],
    },
    { says: '95% reads and 5% updates: 1.32 times the reads with pages of 16 KB.', claims: ['gain-95-5', 'peer-95-5'] },
    { says: 'Only reads: 1.8 times the reads with pages of 16 KB.', claims: ['gain-read-only', 'peer-read-only'] },
  ],
  note: 'OrientDB, YCSB with zipfian requests: operations per second, latencies in microseconds, the load in seconds. The claims compare with OrientDB 2.2.37, measured on two cores and a virtual disk. It had pages of 16 KB, a million records and a cache of 256 MB. Here reads bypass the page cache of the operating system, and our cache holds a quarter of the data.',
}

type Measured = [operationsPerSecond: number, avgUs: number, p95Us: number, p99Us: number]

function columnsOf(size: string, label: string): Published['columns'] {
  return [
    { key: `totalSeconds${size}`, label: `${label}: total s` },
    { key: `operationsPerSecond${size}`, label: `${label}: op/s` },
    { key: `avgUs${size}`, label: 'avg µs' },
    { key: `p95Us${size}`, label: 'p95 µs' },
    { key: `p99Us${size}`, label: 'p99 µs' },
  ]
}

function figures(size: string, of: Record<string, number>): LabRow {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [`${name}${size}`, value]))
}

function row(phase: string, operation: string, of64: Measured, of16: Measured, gain?: number): LabRow {
  const named = ([operationsPerSecond, avgUs, p95Us, p99Us]: Measured): Record<string, number> => ({
    operationsPerSecond,
    avgUs,
    p95Us,
    p99Us,
  })
  return {
    phase,
    operation,
    ...figures('64', named(of64)),
    ...figures('16', named(of16)),
    ...(gain !== undefined && { gain }),
  }
}
