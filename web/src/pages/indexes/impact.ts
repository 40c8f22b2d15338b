import type { Column } from '../../live/buffer'
import { enoughFor, quantile } from '../../live/latency/quantile'
import { totalsOf } from '../../live/latency/summary'
import type { Totals } from '../../live/latency/totals'

/** A latency before and during a build, nanoseconds; `thin`: too few operations. */
export interface Impact {
  name: string
  before: number | undefined
  during: number | undefined
  /** relative change; undefined if a side is missing */
  change: number | undefined
  thin: boolean
}

export const quantiles = [
  ['p50', 0.5],
  ['p99', 0.99],
] as const

/**
 * Compares the time before `beginMs` with the time until `endMs`, by summed counts. A second that
 * overlaps the build counts as during.
 */
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
