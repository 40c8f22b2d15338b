// What experiment tps repeats: the published figures.
import type { LabRow, Published } from '../../schemas/jobs/lab.js'

export const published: Published = {
  columns: [
    { key: 'record', label: 'record' },
    { key: 'threads', label: 'client threads' },
    { key: 'tps', label: 'TPS' },
    { key: 'readUnder1msPct', label: 'reads < 1 ms %' },
    { key: 'writeUnder1msPct', label: 'writes < 1 ms %' },
    { key: 'readStdDevMs', label: 'read σ ms' },
    { key: 'writeStdDevMs', label: 'write σ ms' },
    { key: 'databaseBytes', label: 'database bytes' },
    { key: 'readMBps', label: 'read MB/s' },
    { key: 'writeMBps', label: 'write MB/s' },
    { key: 'queueDepth', label: 'queue' },
    { key: 'deviceLatencyMs', label: 'device ms' },
    { key: 'cpuPct', label: 'CPU %' },
  ],
  rows: [
    row('1k', 576, 1_124_875, [97.16, 99.9], [0.79, 0.35], 100e9, [418, 29, 31, 0.11, 93]),
    row('2k', 448, 875_446, [97.33, 99.57], [0.63, 0.18], 200e9, [547, 43, 27, 0.13, 81]),
    row('4k', 384, 581_272, [97.22, 99.85], [0.63, 0.05], 400e9, [653, 52, 20, 0.16, 52]),
    row('1k, replicated', 512, 1_003_471, [96.11, 99.98], [0.87, 0.3], 200e9, [396, 51, 30, 0.13, 94]),
  ],
  note: 'Averages over 2 hours on 4 PCIe SSDs, with write blocks of 128 KiB and 2 × 18 cores. Compare the last row with our row of durability commit. Here reads bypass the page cache. Memory only answers reads of the newest 8 MiB of writes: 13% of the database at scale quick, 26% with durability commit.',
}

type Device = [readMBps: number, writeMBps: number, queueDepth: number, deviceLatencyMs: number, cpuPct: number]

function row(
  record: string,
  threads: number,
  perSecond: number,
  [readUnder1msPct, writeUnder1msPct]: [number, number],
  [readStdDevMs, writeStdDevMs]: [number, number],
  databaseBytes: number,
  [readMBps, writeMBps, queueDepth, deviceLatencyMs, cpuPct]: Device,
): LabRow {
  return {
    record,
    threads,
    tps: perSecond,
    readUnder1msPct,
    writeUnder1msPct,
    readStdDevMs,
    writeStdDevMs,
    databaseBytes,
    readMBps,
    writeMBps,
    queueDepth,
    deviceLatencyMs,
    cpuPct,
  }
}
