/** Insets of every plot, in CSS pixels. Equal left and right, so that a time has the same x in all panes. */
export const LEFT = 62
export const RIGHT = 10
export const TOP = 8
export const BOTTOM = 22
/** Height of the rows for values below and above the heatmap's axis. */
export const EDGE_ROW = 9

export interface TimeRange {
  from: number
  to: number
}

/** Time at a horizontal position of the plot. */
export function timeAt(x: number, width: number, range: TimeRange): number {
  return range.from + (Math.max(0, Math.min(width, x)) / width) * (range.to - range.from)
}

/** Position of a time in percent of the plot's width. */
export function percentAt(time: number, range: TimeRange): number {
  return ((time - range.from) / (range.to - range.from)) * 100
}
