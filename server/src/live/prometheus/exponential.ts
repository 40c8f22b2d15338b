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

/** Counts by exponential bucket, in their order. `buckets`: counts by bucket of the engine, the overflow behind the last. */
export function exponentialOf(buckets: Float64Array): [index: number, count: number][] {
  const exponential = new Map<number, number>()
  // An iterator over numbers makes a pair of each, and most are 0.
  for (let bucket = 0; bucket <= BUCKETS; bucket += 1) {
    const [operations, index] = [buckets[bucket] ?? 0, exponentialIndex[bucket]]
    if (operations > 0 && index !== undefined) exponential.set(index, (exponential.get(index) ?? 0) + operations)
  }
  return [...exponential]
}
