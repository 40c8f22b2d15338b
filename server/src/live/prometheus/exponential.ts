// Log-linear buckets of the engine, as the exponential buckets of a native histogram.
// https://prometheus.io/docs/specs/native_histograms/
import { BUCKETS, lowerNs } from '../buckets.js'

/** Eight buckets per octave, each 9% wide: every one of them has at least one of ours. */
export const SCHEMA = 3
const PER_OCTAVE = 2 ** SCHEMA

const NANOS_PER_SECOND = 1e9

/** The exponential bucket that has the middle of a bucket: bucket `i` is from 2^((i-1)/8) to 2^(i/8) seconds. */
export const exponentialIndex: readonly number[] = Array.from({ length: BUCKETS + 1 }, (_, bucket) =>
  Math.ceil(Math.log2((lowerNs(bucket) + lowerNs(bucket + 1)) / 2 / NANOS_PER_SECOND) * PER_OCTAVE),
)
