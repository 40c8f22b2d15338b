// The disks of device namespaces, with the counters that node_exporter has for block devices.
import type { Engine } from '../../engines/engine.js'
import type { DeviceReport, DiskReport } from '../../schemas/namespaces/device.js'
import type { Namespace } from '../../schemas/namespaces/namespaces.js'
import { counter, type Family, gauge } from './family.js'

const MS_PER_SECOND = 1000

type Figure = readonly [of: typeof gauge, name: string, help: string, value: (disk: DiskReport) => number]
const figures: readonly Figure[] = [
  [counter, 'reads_total', 'Completed reads.', ({ reads }) => reads.count],
  [counter, 'read_bytes_total', 'Bytes read.', ({ reads }) => reads.bytes],
  [counter, 'read_seconds_total', 'Sum of read latencies.', ({ reads }) => reads.totalMs / MS_PER_SECOND],
  [counter, 'writes_total', 'Completed writes.', ({ writes }) => writes.count],
  [counter, 'written_bytes_total', 'Bytes written.', ({ writes }) => writes.bytes],
  [counter, 'write_seconds_total', 'Sum of write latencies.', ({ writes }) => writes.totalMs / MS_PER_SECOND],
  [counter, 'syncs_total', 'Completed syncs.', ({ syncs }) => syncs.count],
  [counter, 'sync_seconds_total', 'Sum of sync latencies.', ({ syncs }) => syncs.totalMs / MS_PER_SECOND],
  [counter, 'busy_seconds_total', 'Time with an operation in flight.', ({ busyMs }) => busyMs / MS_PER_SECOND],
  [
    counter,
    'queue_seconds_total',
    'Time multiplied by operations in flight.',
    ({ queueMs }) => queueMs / MS_PER_SECOND,
  ],
  [gauge, 'in_flight', 'Operations in flight.', ({ inFlight }) => inFlight],
]

/** Reports of those namespaces that are open on devices, without block maps. */
export async function openDevices(engine: Engine, namespaces: readonly Namespace[]): Promise<DeviceReport[]> {
  const devices = namespaces.filter(({ device }) => device !== undefined)
  // Skip a namespace that was dropped meanwhile.
  const reports = await Promise.allSettled(devices.map(({ name }) => engine.deviceReport(name, 0)))
  return reports.flatMap((report) => (report.status === 'fulfilled' ? [report.value] : []))
}

export function diskFamilies(reports: readonly DeviceReport[]): Family[] {
  const disks = reports.flatMap(({ namespace, disks: all }) =>
    all.map((disk) => ({ labels: { namespace, disk: disk.path }, disk })),
  )
  const byNamespace = (value: (report: DeviceReport) => number) =>
    reports.map((report) => [{ namespace: report.namespace }, value(report)] as const)
  return [
    ...figures.map(([of, name, help, value]) =>
      of(
        `disk_${name}`,
        help,
        disks.map(({ labels, disk }) => [labels, value(disk)]),
      ),
    ),
    gauge(
      'flush_queue_bytes',
      'Bytes that wait for stable storage.',
      byNamespace(({ flush }) => flush.queueBytes),
    ),
    gauge(
      'defrag_queue_blocks',
      'Write blocks that wait to be rewritten.',
      byNamespace(({ defrag }) => defrag.queueBlocks),
    ),
    counter(
      'appended_bytes_total',
      'Bytes logged for callers.',
      byNamespace(({ amplification }) => amplification.appendedBytes),
    ),
    counter(
      'failed_flushes_total',
      'Failed flushes.',
      byNamespace(({ flush }) => flush.failures),
    ),
  ]
}
