import type { Workload, WorkloadComparison, WorkloadSpec } from '../../api/types'
import { count, latency, shortCount } from '../../format'
import type { Verdict } from '../../live/latency/verdict'

/** The title of a run: its name, or a description. */
export function runTitle({ spec }: Pick<Workload, 'spec'>): string {
  return spec.name ?? `${mixWords(spec)} · ${spec.object ?? ''}`
}

export function mixWords({ workload = 'RU,95' }: WorkloadSpec): string {
  if (workload === 'I') return 'Insert'
  if (workload === 'SIZE') return 'Size'
  if (workload.startsWith('ITERATE')) return workload.endsWith(',keys') ? 'Iterate keys' : 'Iterate'
  if (workload.startsWith('YCSB,')) return workload.replace(',', ' ')
  const reads = Number(workload.slice(3))
  return `${reads}/${100 - reads}`
}

/** "100,000 keys · 16 threads · 10,000/s · 10 s" */
export function specWords(spec: WorkloadSpec): string {
  return [
    `${count(spec.keys ?? 0)} keys`,
    `${spec.threads ?? 0} threads`,
    ...(spec.window === undefined || spec.window === 1 ? [] : [`window ${spec.window}`]),
    spec.targetTps === undefined ? 'no rate limit' : `target ${count(spec.targetTps)}/s`,
    ...(spec.operations === undefined ? [] : [`${count(spec.operations)} operations`]),
    ...(spec.durationSeconds === undefined ? [] : [`${spec.durationSeconds} s`]),
  ].join(' · ')
}

/** A run tells its latencies to this, milliseconds. */
export const RESOLUTION_MS = 0.001
const PLAIN_US = 100

/** A latency of a run, with no digit that was not measured: "< 2 µs", "14 µs", "3.10 ms". */
export function ms(value: number): string {
  const us = Math.round(value / RESOLUTION_MS)
  if (us < 2) return `< ${us + 1} µs`
  return us < PLAIN_US ? `${us} µs` : latency(value * 1e6)
}

/** A share in percent, without rounding up to 100. */
export function percent(value: number): string {
  return value >= 100 ? '100%' : `${Math.min(value, 99.99).toFixed(2)}%`
}

type Figure = WorkloadComparison['figures'][number]

export const figureWords: Record<Figure['figure'], string> = {
  tps: 'operations per second',
  readMean: 'read, mean',
  readP50: 'read, p50',
  readP99: 'read, p99',
  readUnder1ms: 'reads within 1 ms',
  writeMean: 'write, mean',
  writeP50: 'write, p50',
  writeP99: 'write, p99',
  writeUnder1ms: 'writes within 1 ms',
}

export function figureValue({ unit }: Pick<Figure, 'unit'>, value: number): string {
  if (unit === 'ms') return ms(value)
  if (unit === '%') return `${value.toFixed(2)}%`
  return value < 0 ? `−${shortCount(-value)}` : shortCount(value)
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
