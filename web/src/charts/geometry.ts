/** Insets of every pane's plot, in CSS pixels: equal left and right, so that one time is one x in all of them. */
export const LEFT = 62
export const RIGHT = 10
export const TOP = 8
export const BOTTOM = 22
/** Height of the rows that stand for everything below and above the heatmap's axis. */
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
