import { quantileName } from '../../format'
import type { Column } from '../buffer'
import { deviation, enoughFor, mean, quantile, shareWithin } from './quantile'
import { mergeTotals, type Part } from './totals'

/** One line of the selection table; `thin` says that there are too few samples to trust it. */
export interface SummaryLine {
  name: string
  kind: 'count' | 'rate' | 'time' | 'share'
  value: number | undefined
  change: number | undefined
  thin: boolean
}

export const QUANTILES = [0.5, 0.9, 0.95, 0.99, 0.999, 0.9999] as const

export function totalsOf(columns: readonly Column[]): Part {
  const present = columns.filter((column) => column.totals !== undefined)
  return {
    totals: mergeTotals(present.map((column) => column.totals!)),
    seconds: present.reduce((sum, column) => sum + column.durationMs, 0) / 1000,
  }
}

/** Figures of a selection against the equal span before it, all from summed counts. */
export function summarise(now: Part, past: Part): SummaryLine[] {
  // A comparison needs records of most of the earlier span.
  const comparable = past.seconds >= now.seconds * 0.9 && past.totals.n > 0
  const line = (
    name: string,
    kind: SummaryLine['kind'],
    of: (part: Part) => number | undefined,
    thin = false,
  ): SummaryLine => {
    const value = of(now)
    const earlier = comparable ? of(past) : undefined
    const change =
      value === undefined || earlier === undefined || earlier === 0 || kind === 'share'
        ? undefined
        : value / earlier - 1
    return { name, kind, value, change, thin }
  }
  return [
    line('n', 'count', (part) => part.totals.n),
    line('rate', 'rate', (part) => (part.seconds > 0 ? part.totals.n / part.seconds : undefined)),
    line('mean', 'time', (part) => mean(part.totals)),
    line('σ', 'time', (part) => deviation(part.totals)),
    ...QUANTILES.map((q) =>
      line(quantileName(1 / (1 - q)), 'time', (part) => quantile(part.totals, q), !enoughFor(now.totals, q)),
    ),
    line('max', 'time', (part) => (part.totals.n > 0 ? part.totals.maxNs : undefined)),
    line('≤ 250 µs', 'share', (part) => shareWithin(part.totals, 250e3)),
    line('≤ 1 ms', 'share', (part) => shareWithin(part.totals, 1e6)),
    line('errors', 'count', (part) => part.totals.errors),
  ]
}
