// The buckets of the engine's histograms: log-linear, 16 per octave, from 128 ns to 64 s. `base/latency` counts into them.

const SUB_BUCKETS = 16
const FLOOR_NS = 128
/** Their number. What is longer than the last is no bucket, but overflow. */
export const BUCKETS = 464

/** Lower edge of a bucket, nanoseconds. Bucket 0 also has what is shorter. */
export const lowerNs = (bucket: number): number =>
  FLOOR_NS * 2 ** Math.floor(bucket / SUB_BUCKETS) * (1 + (bucket % SUB_BUCKETS) / SUB_BUCKETS)

/** The bucket of a time; `BUCKETS`: it is overflow. */
export function bucketOf(ns: number): number {
  if (ns < FLOOR_NS) return 0
  const octave = Math.floor(Math.log2(ns / FLOOR_NS))
  const part = Math.floor((ns / (FLOOR_NS * 2 ** octave) - 1) * SUB_BUCKETS)
  return Math.min(octave * SUB_BUCKETS + part, BUCKETS)
}
