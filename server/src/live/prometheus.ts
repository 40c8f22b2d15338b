// The engine's frames as Prometheus text. Counters grow as long as process and namespace live.
import type { Namespace } from '../schemas/namespaces/namespaces.js'
import type { EngineStatus } from '../schemas/server/status.js'
import { type LatencySeries, type MetricsFrame, sloEdgesNs } from '../schemas/server/metrics.js'

const NANOS_PER_SECOND = 1e9

interface Histogram {
  namespace: string
  labels: string
  count: number
  sumNs: number
  /** Counts at or under each edge: already cumulative, as Prometheus wants them. */
  slo: number[]
}

/** Sums up frames, and forgets dropped namespaces. */
export class LatencyTotals {
  readonly #series = new Map<string, Histogram>()
  readonly #namespaces: () => readonly string[]

  /** `namespaces`: the names of the existing namespaces. */
  constructor(namespaces: () => readonly string[]) {
    this.#namespaces = namespaces
  }

  add(frame: MetricsFrame): void {
    for (const series of frame.latency) {
      const total = this.#total(series)
      total.count += series.count
      total.sumNs += series.sumNs
      for (const [i, count] of series.slo.entries()) total.slo[i] = (total.slo[i] ?? 0) + count
    }
  }

  text(): string {
    this.#forget()
    const name = 'tessera_operation_seconds'
    const lines = [`# HELP ${name} Latency of operations.`, `# TYPE ${name} histogram`]
    for (const { labels, count, sumNs, slo } of this.#series.values()) {
      for (const [i, edge] of sloEdgesNs.entries()) {
        lines.push(`${name}_bucket{${labels},le="${edge / NANOS_PER_SECOND}"} ${slo[i] ?? 0}`)
      }
      lines.push(`${name}_bucket{${labels},le="+Inf"} ${count}`)
      lines.push(`${name}_sum{${labels}} ${sumNs / NANOS_PER_SECOND}`)
      lines.push(`${name}_count{${labels}} ${count}`)
    }
    return `${lines.join('\n')}\n`
  }

  #total({ namespace, op, outcome, side }: LatencySeries): Histogram {
    const labels = `namespace="${namespace}",op="${op}",outcome="${outcome}",side="${side}"`
    let total = this.#series.get(labels)
    if (total === undefined) {
      // Prune even if nobody reads the metrics, so that only series of existing namespaces stay.
      this.#forget()
      total = { namespace, labels, count: 0, sumNs: 0, slo: sloEdgesNs.map(() => 0) }
      this.#series.set(labels, total)
    }
    return total
  }

  #forget(): void {
    const living = new Set(this.#namespaces())
    for (const [labels, { namespace }] of this.#series) if (!living.has(namespace)) this.#series.delete(labels)
  }
}

type Samples = readonly [labels: string, value: number][]

/** One metric with its samples, as Prometheus reads it. */
export function metricLines(type: 'gauge' | 'counter', name: string, help: string, samples: Samples): string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
  ]
}

export function statusText(
  status: EngineStatus,
  perNamespace: readonly Pick<Namespace, 'name' | 'state' | 'records' | 'limits'>[],
): string {
  const lines: string[] = []
  const gauge = (name: string, help: string, samples: Samples) =>
    lines.push(...metricLines('gauge', name, help, samples))
  const counter = (name: string, help: string, samples: Samples) =>
    lines.push(...metricLines('counter', name, help, samples))
  gauge('tessera_info', 'Version of the server.', [[`{version="${status.version}"}`, 1]])
  gauge('tessera_healthy', '1 if the engine is healthy.', [['', Number(status.healthy)]])
  gauge('tessera_start_time_seconds', 'Time when the engine was opened.', [['', Date.parse(status.startedAt) / 1000]])
  gauge('tessera_resident_bytes', 'Memory of the process.', [['', status.residentBytes]])
  gauge('tessera_cpu_percent', 'CPU use of the process, in percent of one core.', [['', status.cpuPercent]])
  gauge('tessera_disk_free_bytes', 'Free space on the disk of the data directory.', [['', status.diskFreeBytes]])
  gauge('tessera_running_jobs', 'Running jobs.', [['', status.runningJobs]])
  gauge(
    'tessera_memory_bytes',
    'Memory of the engine by part.',
    Object.entries(status.memory)
      .filter(([part]) => part !== 'total')
      .map(([part, bytes]) => [`{part="${part}"}`, bytes]),
  )
  gauge(
    'tessera_namespace_ready',
    '1 if the namespace serves reads and writes.',
    perNamespace.map(({ name, state }) => [`{namespace="${name}"}`, Number(state === 'ready')]),
  )
  const limits = perNamespace.flatMap(({ name, limits: use }) =>
    use === undefined ? [] : [{ labels: `{namespace="${name}"}`, ...use }],
  )
  gauge(
    'tessera_writes_stopped',
    '1 if the namespace refuses writes that add data.',
    limits.map(({ labels, writesStopped }) => [labels, Number(writesStopped)]),
  )
  counter(
    'tessera_evicted_records_total',
    'Records removed early for room.',
    limits.map(({ labels, evictedRecords }) => [labels, evictedRecords]),
  )
  counter(
    'tessera_expired_records_total',
    'Expired records removed.',
    limits.map(({ labels, expiredRecords }) => [labels, expiredRecords]),
  )
  gauge(
    'tessera_records',
    'Records by namespace.',
    perNamespace.map(({ name, records }) => [`{namespace="${name}"}`, records]),
  )
  return `${lines.join('\n')}\n`
}
