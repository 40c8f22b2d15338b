import { BUCKETS, bucketLower, bucketOf } from './buckets'
import type { Totals } from './totals'

/** Rows of the heatmap: sub-buckets merged for drawing only (numbers keep all 464). Edges in nanoseconds. */
export interface Rows {
  /** lower edges, one more than there are rows */
  edges: number[]
  /** row of each bucket; -1 below the axis, `edges.length - 1` above it */
  rowOf: Int16Array
}

export interface Axis {
  minNs: number
  maxNs: number
}

/** 1 us to 1 s, extended by whole decades to the observed values, at most 100 ns to 100 s. */
export function axisFor(parts: (Totals | undefined)[]): Axis {
  let minNs = 1e3
  let maxNs = 1e9
  for (const totals of parts) {
    if (totals === undefined || totals.n === 0) continue
    if (totals.first <= totals.last && bucketLower(totals.first) < 1e3) minNs = 100
    while (maxNs < 1e11 && totals.maxNs > maxNs) maxNs *= 10
  }
  return { minNs, maxNs }
}

/** Merges `perRow` neighbouring buckets into a row. */
export function rowsFor(axis: Axis, perRow = 4): Rows {
  const first = axis.minNs <= 128 ? 0 : Math.floor(bucketOf(axis.minNs) / perRow) * perRow
  const last = Math.min(BUCKETS - 1, bucketOf(axis.maxNs))
  const edges: number[] = []
  const rowOf = new Int16Array(BUCKETS).fill(-1)
  for (let bucket = first; bucket <= last; bucket += perRow) {
    for (let i = bucket; i < Math.min(bucket + perRow, BUCKETS); i++) rowOf[i] = edges.length
    edges.push(bucketLower(bucket))
  }
  edges.push(bucketLower(Math.min(BUCKETS, first + edges.length * perRow)))
  rowOf.fill(edges.length - 1, Math.min(BUCKETS, first + (edges.length - 1) * perRow))
  return { edges, rowOf }
}

/**
 * Counts per row of one column, and below and above the axis. Bucket 0 counts as below, because it
 * has no lower edge.
 */
export function columnRows(totals: Totals, rows: Rows): { counts: Float64Array; below: number; above: number } {
  const counts = new Float64Array(rows.edges.length - 1)
  let below = totals.buckets[0] ?? 0
  let above = totals.overflow
  for (let bucket = Math.max(1, totals.first); bucket <= totals.last; bucket++) {
    const count = totals.buckets[bucket]!
    if (count === 0) continue
    const row = rows.rowOf[bucket]!
    if (row < 0) below += count
    else if (row >= counts.length) above += count
    else counts[row]! += count
  }
  return { counts, below, above }
}

/** Position on the colour scale, 0 to 1, of a count: logarithmic between `low` and `high`. */
export function shade(value: number, low: number, high: number): number {
  if (value <= low) return 0
  if (value >= high) return 1
  return Math.log(value / low) / Math.log(high / low)
}
