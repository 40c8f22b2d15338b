// Latency figures worked out by hand from buckets and exact counts, as docs/monitoring.md describes them.

/** The counts of some operations. Sums are whole numbers, however large. */
export interface Counts {
  readonly count: number
  readonly sumNs: bigint
  readonly sumSquaresNs: bigint
  readonly maxNs: number
  readonly overflow: number
  /** at or under each target */
  readonly slo: readonly number[]
  /** by bucket */
  readonly buckets: ReadonlyMap<number, number>
}

export const BUCKETS = 464
export const TARGETS_NS = [50e3, 100e3, 250e3, 500e3, 1e6, 2e6, 5e6, 10e6, 50e6, 100e6, 1e9]

/** Where a bucket begins, and the one before it ends. */
export const boundNs = (bucket: number): number => 128 * 2 ** Math.floor(bucket / 16) * (1 + (bucket % 16) / 16)

export const nothing: Counts = {
  count: 0,
  sumNs: 0n,
  sumSquaresNs: 0n,
  maxNs: 0,
  overflow: 0,
  slo: TARGETS_NS.map(() => 0),
  buckets: new Map(),
}

export function merged(parts: readonly Counts[]): Counts {
  const buckets = new Map<number, number>()
  for (const part of parts)
    for (const [bucket, count] of part.buckets) buckets.set(bucket, (buckets.get(bucket) ?? 0) + count)
  return {
    count: parts.reduce((sum, part) => sum + part.count, 0),
    sumNs: parts.reduce((sum, part) => sum + part.sumNs, 0n),
    sumSquaresNs: parts.reduce((sum, part) => sum + part.sumSquaresNs, 0n),
    maxNs: Math.max(0, ...parts.map((part) => part.maxNs)),
    overflow: parts.reduce((sum, part) => sum + part.overflow, 0),
    slo: TARGETS_NS.map((_, target) => parts.reduce((sum, part) => sum + (part.slo[target] ?? 0), 0)),
    buckets: new Map([...buckets].sort(([a], [b]) => a - b)),
  }
}

/** A quantile, and the bounds of the bucket that it lies in. */
export interface Quantile {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** The quantile that `above` of `of` operations exceed: 1 of 100 is p99. Undefined without operations. */
export function quantileOf({ count, maxNs, buckets }: Counts, above: number, of: number): Quantile | undefined {
  if (count === 0) return undefined
  // Whole numbers only, so that no rank is one too far.
  const rank = Math.max(1, Math.floor((count * (of - above) + of - 1) / of))
  let below = 0
  for (const [bucket, operations] of buckets) {
    if (below + operations >= rank) {
      const low = bucket === 0 ? 0 : boundNs(bucket)
      const value = low + ((rank - below) / operations) * (boundNs(bucket + 1) - low)
      return { value: Math.min(value, maxNs), low, high: Math.min(boundNs(bucket + 1), maxNs) }
    }
    below += operations
  }
  return { value: maxNs, low: boundNs(BUCKETS), high: maxNs }
}

/** The share within a target, 0 to 1. */
export const shareOf = ({ count, slo }: Counts, targetNs: number): number =>
  (slo[TARGETS_NS.indexOf(targetNs)] ?? Number.NaN) / count
