// The disks of device namespaces as Prometheus text, with the counters that node_exporter has for block devices.
import type { Engine } from '../engines/engine.js'
import type { DeviceReport, DiskReport } from '../schemas/namespaces/device.js'
import { metricLines } from './prometheus.js'

const MS_PER_SECOND = 1000

type Figure = readonly [type: 'gauge' | 'counter', name: string, help: string, of: (disk: DiskReport) => number]
const figures: readonly Figure[] = [
  ['counter', 'reads_total', 'Completed reads.', ({ reads }) => reads.count],
  ['counter', 'read_bytes_total', 'Bytes read.', ({ reads }) => reads.bytes],
  ['counter', 'read_seconds_total', 'Sum of read latencies.', ({ reads }) => reads.totalMs / MS_PER_SECOND],
  ['counter', 'writes_total', 'Completed writes.', ({ writes }) => writes.count],
  ['counter', 'written_bytes_total', 'Bytes written.', ({ writes }) => writes.bytes],
  ['counter', 'write_seconds_total', 'Sum of write latencies.', ({ writes }) => writes.totalMs / MS_PER_SECOND],
  ['counter', 'syncs_total', 'Completed syncs.', ({ syncs }) => syncs.count],
  ['counter', 'sync_seconds_total', 'Sum of sync latencies.', ({ syncs }) => syncs.totalMs / MS_PER_SECOND],
  ['counter', 'busy_seconds_total', 'Time with an operation in flight.', ({ busyMs }) => busyMs / MS_PER_SECOND],
  [
    'counter',
    'queue_seconds_total',
    'Time multiplied by operations in flight.',
    ({ queueMs }) => queueMs / MS_PER_SECOND,
  ],
  ['gauge', 'in_flight', 'Operations in flight.', ({ inFlight }) => inFlight],
]

/** Reports of the open device namespaces, without block maps. */
export async function openDevices(engine: Engine): Promise<DeviceReport[]> {
  const devices = (await engine.namespaces()).filter(({ device }) => device !== undefined)
  // Skip a namespace that was dropped meanwhile.
  const reports = await Promise.allSettled(devices.map(({ name }) => engine.deviceReport(name, 0)))
  return reports.flatMap((report) => (report.status === 'fulfilled' ? [report.value] : []))
}

export function disksText(reports: readonly DeviceReport[]): string {
  const byNamespace = (of: (report: DeviceReport) => number) =>
    reports.map((report) => [`{namespace="${report.namespace}"}`, of(report)] as [string, number])
  const disks = reports.flatMap(({ namespace, disks: all }) =>
    all.map((disk) => ({ labels: `{namespace="${namespace}",disk="${escaped(disk.path)}"}`, disk })),
  )
  const lines = figures.flatMap(([type, name, help, of]) =>
    metricLines(
      type,
      `tessera_disk_${name}`,
      help,
      disks.map(({ labels, disk }) => [labels, of(disk)]),
    ),
  )
  lines.push(
    ...metricLines(
      'gauge',
      'tessera_flush_queue_bytes',
      'Bytes that wait for stable storage.',
      byNamespace(({ flush }) => flush.queueBytes),
    ),
    ...metricLines(
      'gauge',
      'tessera_defrag_queue_blocks',
      'Write blocks that wait to be rewritten.',
      byNamespace(({ defrag }) => defrag.queueBlocks),
    ),
    ...metricLines(
      'counter',
      'tessera_appended_bytes_total',
      'Bytes logged for callers.',
      byNamespace(({ amplification }) => amplification.appendedBytes),
    ),
    ...metricLines(
      'counter',
      'tessera_failed_flushes_total',
      'Failed flushes.',
      byNamespace(({ flush }) => flush.failures),
    ),
  )
  return `${lines.join('\n')}\n`
}

/** A label's value; a path may have any character. */
function escaped(path: string): string {
  return path.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))
}
