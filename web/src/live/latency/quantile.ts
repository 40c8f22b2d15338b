import { BUCKETS, bucketLower, bucketUpper, sloIndex } from './buckets'
import type { Totals } from './totals'

/** A quantile, and the bounds between which it lies: those of the bucket that it was counted in. Nanoseconds. */
export interface Measured {
  value: number
  low: number
  high: number
}

/**
 * Undefined without samples: the bucket of rank ceil(q n), with a value interpolated linearly inside of it, never above the
 * largest one seen. Ranks in the overflow give that largest value.
 */
export function measure(totals: Totals, q: number): Measured | undefined {
  if (totals.n === 0) return undefined
  const rank = Math.max(1, Math.ceil(q * totals.n))
  let below = 0
  for (let i = totals.first; i <= totals.last; i++) {
    const count = totals.buckets[i]!
    if (count > 0 && below + count >= rank) {
      const lower = i === 0 ? 0 : bucketLower(i)
      const value = lower + ((rank - below) / count) * (bucketUpper(i) - lower)
      return { value: Math.min(value, totals.maxNs), low: lower, high: Math.min(bucketUpper(i), totals.maxNs) }
    }
    below += count
  }
  return { value: totals.maxNs, low: bucketUpper(BUCKETS - 1), high: totals.maxNs }
}

/** Quantile in nanoseconds, or undefined without samples. */
export function quantile(totals: Totals, q: number): number | undefined {
  return measure(totals, q)?.value
}

/** A quantile means something only with n >= 10/(1-q) samples. */
export function enoughFor(totals: Totals, q: number): boolean {
  return totals.n >= 10 / (1 - q) - 1e-6
}

export function mean(totals: Totals): number | undefined {
  return totals.n === 0 ? undefined : totals.sumNs / totals.n
}

export function deviation(totals: Totals): number | undefined {
  if (totals.n === 0) return undefined
  const average = totals.sumNs / totals.n
  return Math.sqrt(Math.max(0, totals.sumSquaresNs / totals.n - average * average))
}

/** Share of operations at or below an edge of SLO_EDGES_NS, from the exact counters; undefined without samples. */
export function shareWithin(totals: Totals, edgeNs: number): number | undefined {
  if (totals.n === 0) return undefined
  const index = sloIndex(edgeNs)
  return index < 0 ? undefined : totals.slo[index]! / totals.n
}
