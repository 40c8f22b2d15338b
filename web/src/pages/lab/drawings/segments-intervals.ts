import type { LabReport } from '../../../api/types'
import { fixed } from '../../../format'

type Rows = LabReport['rows']

/** One operation: how many times as fast the segmented container was, as published and here. */
export interface Interval {
  operation: string
  /** the published statement */
  says: string
  published: readonly [from: number, to: number]
  /** median of the pairs, and their quartiles */
  ratio: number
  low: number
  high: number
  pairs: number
}

/** The published operations that the rows have. */
export function intervalsOf(published: Rows, rows: Rows): Interval[] {
  return published.flatMap(({ operation, says, low, high }) => {
    const row = rows.find((one) => one['operation'] === operation && one['container'] === 'segmented')
    if (row === undefined) return []
    return [
      {
        operation: String(operation),
        says: String(says),
        published: [Number(low), Number(high)] as const,
        ratio: Number(row['ratio']),
        low: Number(row['low']),
        high: Number(row['high']),
        pairs: Number(row['pairs']),
      },
    ]
  })
}

/** Margin on both sides, as a share of the width. */
const MARGIN = 0.1

/** An axis that includes an interval and 1, where the containers are equally fast; `at` is a CSS percentage. */
export function placeOn({ published, low, high, ratio }: Interval): {
  axis: readonly [from: number, to: number]
  at: (value: number) => string
} {
  const values = [1, ...published, low, high, ratio]
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const margin = (most - least || 1) * MARGIN
  const [from, to] = [Math.max(0, least - margin), most + margin]
  return { axis: [from, to], at: (value) => `${((value - from) / (to - from)) * 100}%` }
}

/** 1.0034 -> "1.003×": values near 1 need three digits. */
export function timesText(times: number): string {
  const digits = times === 0 || times >= 100 ? 0 : times >= 2 ? 2 : 3
  return `${fixed(times, digits)}×`
}
