import type { PageKindUse, PagesReport } from '../../../api/types'

/** A sample: a report, or none for a gap. */
export interface Sample {
  atMs: number
  report?: PagesReport
}

/** Most samples: five minutes at one per two seconds. */
const KEPT = 150
/** Time without a report that counts as a gap. */
const GAP_MS = 7000

/** Adds a report at the end. A repeated report changes nothing. If a counter went backwards, the history restarts. */
export function withReport(samples: readonly Sample[], report: PagesReport): readonly Sample[] {
  const atMs = Date.parse(report.at)
  const last = samples.at(-1)
  if (last?.report === undefined) return [{ atMs, report }]
  if (atMs <= last.atMs) return samples
  const again = report.namespace !== last.report.namespace || report.log.end < last.report.log.end
  if (again || report.traffic.recordsWrittenBytes < last.report.traffic.recordsWrittenBytes) return [{ atMs, report }]
  const gap = atMs - last.atMs > GAP_MS ? [{ atMs: (last.atMs + atMs) / 2 }] : []
  return [...samples, ...gap, { atMs, report }].slice(-KEPT)
}

/** Changes between two samples, by group of kinds or per second; NaN: not known. */
export interface Step {
  atMs: number
  neededBytes: number
  ringBytes: number
  /** Cache hits of page reads, percent. */
  hits: Record<Group, number>
  /** Page reads that the ratios are of. */
  reads: Record<Group, number>
  pagesReadPerSecond: number
  pagesWrittenPerSecond: number
  logWrittenPerSecond: number
  /** Bytes of records, which the amplifications are of. */
  recordsReadPerSecond: number
  recordsWrittenPerSecond: number
  readAmplification: number
  writeAmplification: number
}

/** Groups of page kinds, one line each. */
export const groups = {
  index: ['inner', 'leaf'],
  'slot map': ['slot_map', 'directory'],
  records: ['data', 'overflow'],
} as const
export type Group = keyof typeof groups

/** Hits divided by reads; NaN without reads. */
export function hitRatio(hits: number, misses: number): number {
  return hits / (hits + misses)
}

const never: PageKindUse = { kind: '', cached: 0, hits: 0, misses: 0 }

/** Page reads of some kinds since `before`. */
export function readsSince(
  report: PagesReport,
  before: PagesReport | undefined,
  kinds: readonly string[],
): { hits: number; misses: number } {
  const of = (one: PagesReport | undefined, kind: string): PageKindUse =>
    one?.cache.kinds.find((each) => each.kind === kind) ?? never
  const sum = (count: 'hits' | 'misses'): number =>
    kinds.reduce((all, kind) => all + of(report, kind)[count] - of(before, kind)[count], 0)
  return { hits: sum('hits'), misses: sum('misses') }
}

export function stepsOf(samples: readonly Sample[]): Step[] {
  return samples.map(({ atMs, report }, index) => {
    const before = samples[index - 1]
    return stepOf(atMs, report, before?.report, (atMs - (before?.atMs ?? atMs)) / 1000)
  })
}

function stepOf(atMs: number, report: PagesReport | undefined, before: PagesReport | undefined, seconds: number): Step {
  const known = report !== undefined && before !== undefined
  const moved = (of: (traffic: PagesReport['traffic']) => number): number =>
    known ? of(report.traffic) - of(before.traffic) : Number.NaN
  const pagesRead = moved((traffic) => traffic.pagesReadBytes)
  const pagesWritten = moved((traffic) => traffic.pagesWrittenBytes)
  const logWritten = moved((traffic) => traffic.logWrittenBytes)
  const recordsRead = moved((traffic) => traffic.recordsReadBytes)
  const recordsWritten = moved((traffic) => traffic.recordsWrittenBytes)
  const none = { hits: Number.NaN, misses: Number.NaN }
  const byGroup = (of: (reads: { hits: number; misses: number }) => number): Record<Group, number> => {
    const value = (kinds: readonly string[]): number => of(known ? readsSince(report, before, kinds) : none)
    return { index: value(groups.index), 'slot map': value(groups['slot map']), records: value(groups.records) }
  }
  return {
    atMs,
    neededBytes: report?.log.neededBytes ?? Number.NaN,
    ringBytes: report?.log.ringBytes ?? Number.NaN,
    hits: byGroup(({ hits, misses }) => hitRatio(hits, misses) * 100),
    reads: byGroup(({ hits, misses }) => hits + misses),
    pagesReadPerSecond: pagesRead / seconds,
    pagesWrittenPerSecond: pagesWritten / seconds,
    logWrittenPerSecond: logWritten / seconds,
    recordsReadPerSecond: recordsRead / seconds,
    recordsWrittenPerSecond: recordsWritten / seconds,
    readAmplification: quotient(pagesRead, recordsRead),
    writeAmplification: quotient(pagesWritten + logWritten, recordsWritten),
  }
}

function quotient(amount: number, of: number): number {
  return of > 0 ? amount / of : Number.NaN
}
