/**
 * Bucket layout of the engine's latency histogram: log-linear in nanoseconds, 16 sub-buckets an octave,
 * 128 ns to 2^29 * 128 ns (68.7 s), 464 buckets. Bucket 0 also counts shorter latencies.
 */
export const SUB_BUCKETS = 16
export const OCTAVES = 29
export const BUCKETS = SUB_BUCKETS * OCTAVES
export const FLOOR_NS = 128

/** Edges at which operations are counted exactly, in nanoseconds; `slo[i]` counts operations <= SLO_EDGES_NS[i]. */
export const SLO_EDGES_NS = [50e3, 100e3, 250e3, 500e3, 1e6, 2e6, 5e6, 10e6, 50e6, 100e6, 1e9] as const

/** Lower edge of a bucket in nanoseconds (bucket 464 gives the upper edge of the last). */
export function bucketLower(index: number): number {
  const octave = Math.floor(index / SUB_BUCKETS)
  return FLOOR_NS * 2 ** octave * (1 + (index % SUB_BUCKETS) / SUB_BUCKETS)
}

/** Upper edge of a bucket in nanoseconds. */
export function bucketUpper(index: number): number {
  return bucketLower(index + 1)
}

/** Bucket that holds a duration, clamped to the first and the last. */
export function bucketOf(ns: number): number {
  if (ns < FLOOR_NS) return 0
  const octave = Math.floor(Math.log2(ns / FLOOR_NS))
  const index = octave * SUB_BUCKETS + Math.floor((ns / (FLOOR_NS * 2 ** octave) - 1) * SUB_BUCKETS)
  return Math.min(BUCKETS - 1, index)
}

/** Position of an edge in SLO_EDGES_NS. */
export function sloIndex(edgeNs: number): number {
  return SLO_EDGES_NS.findIndex((edge) => edge === edgeNs)
}
