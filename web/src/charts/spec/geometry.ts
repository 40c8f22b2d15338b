import type { Range } from './spec'
import type { Scale } from './scale'

/** Insets of every plot, in CSS pixels. Equal left and right, so that an x has the same place in all charts of a page. */
export const LEFT = 62
const RIGHT = 12
/** Room for the names of lines, if the chart is so wide. */
const LABELS = 104
const WIDE = 520
/** The right inset of a chart with lines. */
export const rightOf = (width: number): number => (width >= WIDE ? LABELS : RIGHT)
export const TOP = 8
export const BOTTOM = 22
/** Height of the rows for values below and above a heatmap's axis. */
export const EDGE_ROW = 9
/** Extra room for the words of an axis. */
export const TITLE = 18

type Across = Pick<Scale, 'from' | 'to' | 'log'>

/** Share of the plot's width at an x; outside of 0 to 1 for an x outside. */
export function shareAt(x: number, { from, to, log }: Across): number {
  return log ? Math.log(x / from) / Math.log(to / from) : (x - from) / (to - from)
}

/** The x at a share of the plot's width. */
export function xAt(share: number, { from, to, log }: Across): number {
  return log ? from * (to / from) ** share : from + share * (to - from)
}

/** The index of the value whose column holds an x, or else of the nearest; undefined without values. */
export function indexAt(values: readonly number[], x: number, step = 0): number | undefined {
  if (values.length === 0) return undefined
  let [low, high] = [0, values.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((values[middle] ?? 0) <= x) low = middle
    else high = middle - 1
  }
  if (step > 0) return low
  const [here, next] = [values[low] ?? 0, values[low + 1]]
  return next !== undefined && next - x < x - here ? low + 1 : low
}

/** A zoom by `factor` that keeps an x at its place; undefined if it shows all. */
export function zoomed(shown: Across, full: Range, at: number, factor: number): Range | undefined {
  const whole = { ...shown, ...full }
  const [low, high] = [shareAt(shown.from, whole), shareAt(shown.to, whole)]
  const fixed = Math.max(low, Math.min(high, shareAt(at, whole)))
  return inside(fixed - (fixed - low) * factor, fixed + (high - fixed) * factor, whole)
}

/** A zoom moved by a share of its width, within the whole. */
export function panned(shown: Across, full: Range, by: number): Range | undefined {
  const whole = { ...shown, ...full }
  const [low, high] = [shareAt(shown.from, whole), shareAt(shown.to, whole)]
  const move = by * (high - low)
  return inside(low + move, high + move, whole)
}

/** The span between two shares of the whole, moved into it. */
function inside(low: number, high: number, whole: Across): Range | undefined {
  if (high - low >= 1 - 1e-9) return undefined
  const move = low < 0 ? -low : Math.min(0, 1 - high)
  return { from: xAt(low + move, whole), to: xAt(high + move, whole) }
}
