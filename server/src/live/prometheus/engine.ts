// Status of the engine and its namespaces.
import type { Namespace } from '../../schemas/namespaces/namespaces.js'
import type { EngineStatus } from '../../schemas/server/status.js'
import { counter, type Family, gauge } from './family.js'

export function engineFamilies(
  status: EngineStatus,
  namespaces: readonly Pick<Namespace, 'name' | 'state' | 'records' | 'limits'>[],
): Family[] {
  const limits = namespaces.flatMap(({ name, limits: use }) =>
    use === undefined ? [] : [{ labels: { namespace: name }, ...use }],
  )
  return [
    gauge('info', 'Version of the server.', [[{ version: status.version }, 1]]),
    gauge('healthy', '1 if the engine is healthy.', Number(status.healthy)),
    gauge('start_time_seconds', 'Time when the engine was opened.', Date.parse(status.startedAt) / 1000),
    gauge('resident_bytes', 'Memory of the process.', status.residentBytes),
    gauge('cpu_percent', 'CPU use of the process, in percent of one core.', status.cpuPercent),
    gauge('disk_free_bytes', 'Free space on the disk of the data directory.', status.diskFreeBytes),
    gauge('disk_total_bytes', 'Size of the disk of the data directory.', status.diskTotalBytes),
    gauge('running_jobs', 'Running jobs.', status.runningJobs),
    gauge(
      'memory_bytes',
      'Memory of the engine by part.',
      Object.entries(status.memory)
        .filter(([part]) => part !== 'total')
        .map(([part, bytes]) => [{ part }, bytes]),
    ),
    gauge(
      'namespace_ready',
      '1 if the namespace serves reads and writes.',
      namespaces.map(({ name, state }) => [{ namespace: name }, Number(state === 'ready')]),
    ),
    gauge(
      'writes_stopped',
      '1 if the namespace refuses writes that add data.',
      limits.map(({ labels, writesStopped }) => [labels, Number(writesStopped)]),
    ),
    counter(
      'evicted_records_total',
      'Records removed early for room.',
      limits.map(({ labels, evictedRecords }) => [labels, evictedRecords]),
    ),
    counter(
      'expired_records_total',
      'Expired records removed.',
      limits.map(({ labels, expiredRecords }) => [labels, expiredRecords]),
    ),
    gauge(
      'records',
      'Records by namespace.',
      namespaces.map(({ name, records }) => [{ namespace: name }, records]),
    ),
  ]
}
