import type { Workload, WorkloadComparison, WorkloadSpec } from '../../api/types'
import { count, fixed, latency, shortCount } from '../../format'
import { bucketLower, bucketOf, bucketUpper } from '../../live/latency/buckets'
import type { Verdict } from '../../live/latency/verdict'
import { quantileWords } from '../../live/latency/words'
import { t } from '../../language/text'

/** The title of a run: its name, or a description. */
export function runTitle({ spec }: Pick<Workload, 'spec'>): string {
  return spec.name ?? `${mixWords(spec)} · ${spec.object ?? ''}`
}

export function mixWords({ workload = 'RU,95' }: WorkloadSpec): string {
  if (workload === 'I') return t('Insert')
  if (workload === 'SIZE') return t('Size')
  if (workload.startsWith('ITERATE')) return workload.endsWith(',keys') ? t('Iterate keys') : t('Iterate')
  if (workload.startsWith('YCSB,')) return workload.replace(',', ' ')
  const reads = Number(workload.slice(3))
  return `${reads}/${100 - reads}`
}

/** "100,000 keys · 16 threads · 10,000/s · 10 s" */
export function specWords(spec: WorkloadSpec): string {
  return [
    t('{keys, plural, one {# key} other {# keys}}', { keys: spec.keys ?? 0 }),
    t('{threads, plural, one {# thread} other {# threads}}', { threads: spec.threads ?? 0 }),
    ...(spec.window === undefined || spec.window === 1 ? [] : [t('window {window}', { window: spec.window })]),
    spec.targetTps === undefined ? t('no rate limit') : t('target {targetTps}/s', { targetTps: count(spec.targetTps) }),
    ...(spec.operations === undefined
      ? []
      : [t('{operations, plural, one {# operation} other {# operations}}', { operations: spec.operations })]),
    ...(spec.durationSeconds === undefined ? [] : [`${spec.durationSeconds} s`]),
  ].join(' · ')
}

const NS_PER_MS = 1e6
/** The summary and the seconds of a run tell latencies to this, milliseconds. */
const RESOLUTION_MS = 0.001
const PLAIN_US = 100

/** A latency of a run, with no digit that was not measured: "< 2 µs", "14 µs", "3.10 ms". */
export function ms(value: number): string {
  const us = Math.round(value / RESOLUTION_MS)
  if (us < 2) return `< ${us + 1} µs`
  return us < PLAIN_US ? `${us} µs` : latency(value * 1e6)
}

/** A share in percent, without rounding up to 100. */
export function percent(value: number): string {
  return value >= 100 ? '100%' : `${fixed(Math.min(value, 99.99), 2)}%`
}

type Figure = WorkloadComparison['figures'][number]

export const figureWords: Record<Figure['figure'], string> = {
  tps: t('operations per second'),
  readMean: t('read, mean'),
  readP50: t('read, p50'),
  readP90: t('read, p90'),
  readP99: t('read, p99'),
  readP999: t('read, p99.9'),
  readUnder1ms: t('reads within 1 ms'),
  writeMean: t('write, mean'),
  writeP50: t('write, p50'),
  writeP90: t('write, p90'),
  writeP99: t('write, p99'),
  writeP999: t('write, p99.9'),
  writeUnder1ms: t('writes within 1 ms'),
}

export function figureValue({ unit, source }: Pick<Figure, 'unit' | 'source'>, value: number): string {
  if (source === 'histograms') return quantileWords(value * NS_PER_MS)
  if (unit === 'ms') return ms(value)
  if (unit === '%') return `${fixed(value, 2)}%`
  return value < 0 ? `−${shortCount(-value)}` : shortCount(value)
}

/** "± 1%": half the width of the interval. A latency of seconds is not known better than the run tells it. */
export function marginWords(figure: Pick<Figure, 'unit' | 'source'>, { value, low, high }: Bounded): string {
  if (low === undefined || high === undefined) return ''
  const half = Math.max(0, high - value, value - low)
  // A latency in a bucket is known to half of its width.
  if (figure.source === 'histograms') return `± ${latency(Math.max(half * NS_PER_MS, halfBucket(value * NS_PER_MS)))}`
  if (figure.unit === 'ms' && half < 1.5 * RESOLUTION_MS) return '± 1 µs'
  return `± ${figureValue(figure, half)}`
}

type Bounded = Pick<Figure['runs'][number], 'value' | 'low' | 'high'>

const halfBucket = (ns: number): number => {
  const bucket = bucketOf(ns)
  return (bucketUpper(bucket) - bucketLower(bucket)) / 2
}

/** What the server says of a figure. */
export const verdictWords: Record<Figure['runs'][number]['verdict'], Verdict | 'baseline'> = {
  baseline: 'baseline',
  'no-difference': 'no difference',
  better: 'better',
  worse: 'worse',
  'cannot-tell': 'cannot tell',
  'too-few-seconds': 'cannot tell',
}
