import { latency, latencyEdge } from '../../format'
import { bucketUpper } from './buckets'

/** The first bucket has no lower edge: what is in it is not told apart. */
const FLOOR_NS = bucketUpper(0)

/** A quantile of a histogram, as far as it was measured. */
export function quantileWords(ns: number): string {
  return ns <= FLOOR_NS ? `< ${latencyEdge(FLOOR_NS)}` : latency(ns)
}

/** "120 ms – 140 ms", of latencies in nanoseconds. */
export function latencySpan(from: number | undefined, to: number | undefined): string {
  if (from === undefined || from === 0) return `below ${latency(to ?? 0)}`
  return to === undefined || to === Infinity ? `from ${latency(from)} on` : `${latency(from)} – ${latency(to)}`
}
