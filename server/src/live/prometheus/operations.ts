// Latency of operations since the start, summed up from frames.
import { type LatencySeries, type MetricsFrame, sloEdgesNs } from '../../schemas/server/metrics.js'
import { BUCKETS } from '../buckets.js'
import { exponentialOf } from './exponential.js'
import type { Family, HistogramSample, Labels } from './family.js'

const NANOS_PER_SECOND = 1e9

interface Total {
  namespace: string
  labels: Labels
  count: number
  sumNs: number
  /** Counts at or under each edge: cumulative already. */
  slo: number[]
  /** Counts by bucket of the engine, the overflow last. */
  buckets: Float64Array
}

/** Sums up frames, and forgets dropped namespaces. Counters grow as long as process and namespace live. */
export class LatencyTotals {
  readonly #totals = new Map<string, Total>()
  readonly #namespaces: () => readonly string[]

  /** `namespaces`: the names of the existing namespaces. */
  constructor(namespaces: () => readonly string[]) {
    this.#namespaces = namespaces
  }

  add(frame: MetricsFrame): void {
    // Prune even if nobody reads the metrics, so that only series of existing namespaces stay.
    if (frame.latency.some((series) => !this.#totals.has(keyOf(series)))) this.#forget()
    for (const series of frame.latency) {
      const total = this.#total(series)
      total.count += series.count
      total.sumNs += series.sumNs
      for (const [i, count] of series.slo.entries()) total.slo[i] = (total.slo[i] ?? 0) + count
      for (let i = 0; i + 1 < series.buckets.length; i += 2) {
        const bucket = series.buckets[i] ?? 0
        total.buckets[bucket] = (total.buckets[bucket] ?? 0) + (series.buckets[i + 1] ?? 0)
      }
      total.buckets[BUCKETS] = (total.buckets[BUCKETS] ?? 0) + series.overflow
    }
  }

  /** Its samples are made when they are read; each is of one moment. */
  family(): Family {
    this.#forget()
    return {
      type: 'histogram',
      name: 'tessera_operation_seconds',
      help: 'Latency of operations.',
      samples: samplesOf(this.#totals),
    }
  }

  #total(series: LatencySeries): Total {
    const key = keyOf(series)
    let total = this.#totals.get(key)
    if (total === undefined) {
      const { namespace, op, outcome, side } = series
      const labels = { namespace, op, outcome, side }
      const slo = sloEdgesNs.map(() => 0)
      total = { namespace, labels, count: 0, sumNs: 0, slo, buckets: new Float64Array(BUCKETS + 1) }
      this.#totals.set(key, total)
    }
    return total
  }

  #forget(): void {
    const living = new Set(this.#namespaces())
    for (const [key, { namespace }] of this.#totals) if (!living.has(namespace)) this.#totals.delete(key)
  }
}

const keyOf = ({ namespace, op, outcome, side }: LatencySeries): string => `${namespace}\n${op}\n${outcome}\n${side}`

/** Those that are there when they are read. */
const samplesOf = (totals: ReadonlyMap<string, Total>): Iterable<HistogramSample> => ({
  *[Symbol.iterator]() {
    for (const total of totals.values()) yield sampleOf(total)
  },
})

const sampleOf = ({ labels, count, sumNs, slo, buckets }: Total): HistogramSample => ({
  labels,
  count,
  sum: sumNs / NANOS_PER_SECOND,
  edges: sloEdgesNs.map((edge, i) => [edge / NANOS_PER_SECOND, slo[i] ?? 0]),
  exponential: () => exponentialOf(buckets),
})
