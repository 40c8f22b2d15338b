import type { Column } from '../../live/buffer'
import { enoughFor, quantile } from '../../live/quantile'
import { totalsOf } from '../../live/summary'
import type { Totals } from '../../live/totals'

/** One latency before a build and during it, nanoseconds; `thin` where there are too few operations to say. */
export interface Impact {
  name: string
  before: number | undefined
  during: number | undefined
  /** of one; undefined where a side is missing */
  change: number | undefined
  thin: boolean
}

const quantiles = [
  ['p50', 0.5],
  ['p99', 0.99],
] as const

/** Compares what was before `beginMs` with what came until `endMs`, by added counts; a second that the build had a part of is during it. */
export function impactOf(op: string, columns: readonly Column[], beginMs: number, endMs: number): Impact[] {
  const before = totalsOf(columns.filter(({ start, durationMs }) => start + durationMs <= beginMs)).totals
  const during = totalsOf(
    columns.filter(({ start, durationMs }) => start + durationMs > beginMs && start < endMs),
  ).totals
  return quantiles.map(([name, q]) => {
    const [old, now] = [quantile(before, q), quantile(during, q)]
    const change = old === undefined || now === undefined || old === 0 ? undefined : now / old - 1
    return { name: `${op} ${name}`, before: old, during: now, change, thin: isThin(before, q) || isThin(during, q) }
  })
}

const isThin = (totals: Totals, q: number): boolean => !enoughFor(totals, q)
