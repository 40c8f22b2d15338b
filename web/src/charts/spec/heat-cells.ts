import { EDGE_ROW, indexAt, shareAt, xAt } from './geometry'
import type { ChartSpec, Range } from './spec'

// The cells of a heatmap as what a reader points at. A row is named by its span of y values; the rows beyond the axis
// begin at 0 or have no end.

type Axis = { from: number; to: number; log: true }

function axisOf({ y }: ChartSpec): Axis {
  return { from: y.from ?? 1, to: y.to ?? 1, log: true }
}

/** The y at a place below the top of a plot, CSS pixels; undefined without a heatmap. */
export function heatYAt(spec: ChartSpec, top: number, height: number): number | undefined {
  if (spec.heat === undefined) return undefined
  const share = (top - EDGE_ROW) / (height - 2 * EDGE_ROW)
  return share < 0 ? Infinity : share > 1 ? 0 : xAt(1 - share, axisOf(spec))
}

/** The spans of all rows, the one below the axis first. */
function rowsOf({ edges }: { edges: readonly number[] }): Range[] {
  return [0, ...edges].map((from, row) => ({ from, to: edges[row] ?? Infinity }))
}

/** The rows of the column at an x that have a count, lowest first. */
export function cellsAt({ heat, x }: ChartSpec, at: number): Range[] {
  const column = indexAt(x.values, at, x.step)
  if (heat === undefined || column === undefined) return []
  const rows = rowsOf(heat)
  return rows.filter((_, row) => (heat.levels[column * rows.length + row] ?? 0) > 0)
}

/** The cell at an x and y; undefined if nothing was counted there. */
export const cellAt = (spec: ChartSpec, at: number, y: number): Range | undefined =>
  cellsAt(spec, at).find(({ from, to }) => y >= from && (y < to || to === Infinity))

/** Where a span of y is drawn in the plot. */
export function placeOfRows(spec: ChartSpec, { from, to }: Range): { top: string; bottom: string } {
  const axis = axisOf(spec)
  const inset = (share: number): string => `calc(${EDGE_ROW}px + (100% - ${2 * EDGE_ROW}px) * ${share})`
  return {
    top: to > axis.to ? '0px' : inset(1 - shareAt(to, axis)),
    bottom: from < axis.from ? '0px' : inset(shareAt(from, axis)),
  }
}
