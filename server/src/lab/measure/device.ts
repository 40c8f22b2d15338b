// The disk activity of a namespace during a run, in the figures of iostat.
import type { DeviceReport, DiskReport } from '../../schemas/namespaces/device.js'
import type { Bench } from '../experiment.js'

export interface DeviceFigures {
  readMBps: number
  writeMBps: number
  /** Operations in flight, on average, over all disks. */
  queueDepth: number
  /** Average of reads and writes; 0 if there were none. */
  latencyMs: number
}

/** Counters of all disks together. They can be subtracted, and added over runs. */
export interface Totals {
  readBytes: number
  writtenBytes: number
  operations: number
  operationMs: number
  queueMs: number
}

const counters = ['readBytes', 'writtenBytes', 'operations', 'operationMs', 'queueMs'] as const

const each = (of: (counter: keyof Totals) => number): Totals =>
  Object.fromEntries(counters.map((counter) => [counter, of(counter)])) as Record<keyof Totals, number>

/** Reads the counters of a namespace's disks now. The returned function says what the disks did since. */
export async function watchDevice({ api }: Pick<Bench, 'api'>, namespace: string): Promise<() => Promise<Totals>> {
  const look = async (): Promise<Totals> =>
    totals((await api.call<DeviceReport>('GET', `/namespaces/${namespace}/device?cells=0`)).disks)
  const before = await look()
  return async () => {
    const after = await look()
    // Counters restart when a namespace is opened again.
    return each((counter) => Math.max(0, after[counter] - before[counter]))
  }
}

function totals(disks: readonly DiskReport[]): Totals {
  const sum = (of: (disk: DiskReport) => number): number => disks.reduce((all, disk) => all + of(disk), 0)
  return {
    readBytes: sum(({ reads }) => reads.bytes),
    writtenBytes: sum(({ writes }) => writes.bytes),
    operations: sum(({ reads, writes }) => reads.count + writes.count),
    operationMs: sum(({ reads, writes }) => reads.totalMs + writes.totalMs),
    queueMs: sum(({ queueMs }) => queueMs),
  }
}

/** What disks did in `seconds`; the counters may span several runs. */
export function figures(parts: readonly Totals[], seconds: number): DeviceFigures {
  const all = each((counter) => parts.reduce((sum, part) => sum + part[counter], 0))
  return {
    readMBps: all.readBytes / 1e6 / seconds,
    writeMBps: all.writtenBytes / 1e6 / seconds,
    queueDepth: all.queueMs / 1000 / seconds,
    latencyMs: all.operations === 0 ? 0 : all.operationMs / all.operations,
  }
}
