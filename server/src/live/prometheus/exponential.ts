// Log-linear buckets of the engine, as the exponential buckets of a native histogram.
// https://prometheus.io/docs/specs/native_histograms/

/** Eight buckets per octave, each 9% wide: every one of them has at least one of ours. */
export const SCHEMA = 3
const PER_OCTAVE = 2 ** SCHEMA

const SUB_BUCKETS = 16
const FLOOR_SECONDS = 128e-9
/** Buckets of the engine, up to 64 s. Its overflow comes after the last. */
export const BUCKETS = 464

const lowerSeconds = (bucket: number): number =>
  FLOOR_SECONDS * 2 ** Math.floor(bucket / SUB_BUCKETS) * (1 + (bucket % SUB_BUCKETS) / SUB_BUCKETS)

/** The exponential bucket that has the middle of a bucket: bucket `i` is from 2^((i-1)/8) to 2^(i/8) seconds. */
export const exponentialIndex: readonly number[] = Array.from({ length: BUCKETS + 1 }, (_, bucket) =>
  Math.ceil(Math.log2((lowerSeconds(bucket) + lowerSeconds(bucket + 1)) / 2) * PER_OCTAVE),
)
