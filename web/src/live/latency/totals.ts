import type { LatencySeries } from '../../api/types'
import { BUCKETS, SLO_EDGES_NS } from './buckets'

/** A merged histogram with counts only, so that merging is adding, never averaging. */
export interface Totals {
  n: number
  errors: number
  sumNs: number
  sumSquaresNs: number
  maxNs: number
  overflow: number
  slo: Float64Array
  buckets: Float64Array
  /** first and last bucket that may have a count; most buckets never do */
  first: number
  last: number
}

/** Totals of a span, and how long its frames are. */
export interface Part {
  totals: Totals
  seconds: number
}

export function emptyTotals(): Totals {
  return {
    n: 0,
    errors: 0,
    sumNs: 0,
    sumSquaresNs: 0,
    maxNs: 0,
    overflow: 0,
    slo: new Float64Array(SLO_EDGES_NS.length),
    buckets: new Float64Array(BUCKETS),
    first: BUCKETS,
    last: -1,
  }
}

/** Adds one series of a frame. Errors are only counted, because their durations are not latencies of answers. */
export function addSeries(into: Totals, series: LatencySeries): void {
  if (series.outcome === 'error') {
    into.errors += series.count
  } else addCounts(into, series)
}

/** Adds a histogram. */
export function addCounts(into: Totals, series: Omit<LatencySeries, 'namespace' | 'op' | 'outcome' | 'side'>): void {
  into.n += series.count
  into.sumNs += series.sumNs
  into.sumSquaresNs += series.sumSquaresNs
  into.maxNs = Math.max(into.maxNs, series.maxNs)
  into.overflow += series.overflow
  for (let i = 0; i < into.slo.length; i++) into.slo[i]! += series.slo[i] ?? 0
  const pairs = series.buckets
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const bucket = pairs[i]!
    if (bucket < 0 || bucket >= BUCKETS) continue
    into.buckets[bucket]! += pairs[i + 1]!
    into.first = Math.min(into.first, bucket)
    into.last = Math.max(into.last, bucket)
  }
}

/** Adds `from` to `into`. */
export function addTotals(into: Totals, from: Totals): void {
  into.n += from.n
  into.errors += from.errors
  into.sumNs += from.sumNs
  into.sumSquaresNs += from.sumSquaresNs
  into.maxNs = Math.max(into.maxNs, from.maxNs)
  into.overflow += from.overflow
  for (let i = 0; i < into.slo.length; i++) into.slo[i]! += from.slo[i]!
  for (let i = from.first; i <= from.last; i++) into.buckets[i]! += from.buckets[i]!
  into.first = Math.min(into.first, from.first)
  into.last = Math.max(into.last, from.last)
}

export function mergeTotals(parts: Iterable<Totals>): Totals {
  const merged = emptyTotals()
  for (const part of parts) addTotals(merged, part)
  return merged
}
