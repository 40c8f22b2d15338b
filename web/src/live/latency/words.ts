import { fixed, latency, latencyEdge, twoDigits } from '../../format'
import { bucketUpper } from './buckets'
import type { Ratio } from './misses'
import { t } from '../../language/text'

/** The first bucket has no lower edge: what is in it is not told apart. */
const FLOOR_NS = bucketUpper(0)

/** A quantile of a histogram, as far as it was measured. */
export function quantileWords(ns: number): string {
  return ns <= FLOOR_NS ? `< ${latencyEdge(FLOOR_NS)}` : latency(ns)
}

/** "120 ms – 140 ms", of latencies in nanoseconds. */
export function latencySpan(from: number | undefined, to: number | undefined): string {
  if (from === undefined || from === 0) return t('below {to}', { to: latency(to ?? 0) })
  return to === undefined || to === Infinity
    ? t('from {from} on', { from: latency(from) })
    : t('{from} – {to}', { from: latency(from), to: latency(to) })
}

/** "misses × 5.0 (2.9 to 8.5)". */
export function ratioWords({ of, value, low, high }: Ratio): string {
  return t('{of} × {value} ({low} to {high})', { of, value: factor(value), low: factor(low), high: factor(high) })
}

const factor = (value: number): string =>
  value >= 1000
    ? t('over {value}', { value: 1000 })
    : value < 0.001
      ? t('under {value}', { value: fixed(0.001, 3) })
      : twoDigits(value)
