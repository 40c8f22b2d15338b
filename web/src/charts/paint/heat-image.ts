import type { Column } from '../../live/buffer'
import { columnRows, rowsFor, shade, type Axis, type Rows } from '../../live/latency/cells'
import type { Totals } from '../../live/latency/totals'
import { latencyPlace } from '../axes'
import { colourWord } from './colour-word'
import type { Raster } from './raster'
import { viridis } from './viridis'

export interface HeatParams {
  columns: Column[]
  axis: Axis
  absolute: boolean
  /** height of the rows for values below and above the axis, device pixels */
  edgeRow: number
  hatch: { colour: number; alpha: number }
  ratio: number
}

type Parts = ReturnType<typeof columnRows>

export const MAX_COLOUR = '#d0bfff'
const EDGE_COLOUR = 0xff140e0a
const FAINTEST_SHARE = 1e-5
const HATCH_STEP = 5

/** Height in the raster of a latency. */
export function heatHeight(raster: Raster, edgeRow: number, { minNs, maxNs }: Axis): (ns: number) => number {
  const plot = raster.height - 2 * edgeRow
  return (ns) => edgeRow + plot * (1 - latencyPlace(ns, minNs, maxNs))
}

/** Paints the cells of the heatmap: a column's operations by latency, as shares of the column or as counts. */
export function paintCells(raster: Raster, { columns, axis, absolute, edgeRow, hatch }: HeatParams): void {
  const { width, height } = raster
  const rows = rowsFor(axis)
  const tops = rows.edges.map((ns) => Math.round(heatHeight(raster, edgeRow, axis)(ns)))
  const parts = columns.map(({ totals }) =>
    totals === undefined || totals.n === 0 ? undefined : partsOf(totals, axis, rows),
  )
  const peak = absolute ? parts.reduce((most, part) => Math.max(most, part === undefined ? 0 : peakOf(part)), 2) : 1
  for (let index = 0; index < columns.length; index++) {
    const part = parts[index]
    if (part === undefined) continue
    const n = columns[index]!.totals!.n
    const colourOf = (value: number): number =>
      viridis[Math.round((absolute ? shade(value, 1, peak) : shade(value / n, FAINTEST_SHARE, 1)) * 255)]!
    const left = Math.round((index * width) / columns.length)
    const right = Math.round(((index + 1) * width) / columns.length)
    for (let row = 0; row < part.counts.length; row++) {
      const value = part.counts[row]!
      if (value > 0) raster.rect(left, tops[row + 1]!, right, Math.max(tops[row]!, tops[row + 1]! + 1), colourOf(value))
    }
    const edge = (value: number, top: number): void => {
      if (value === 0) return
      raster.rect(left, top, right, top + edgeRow - 1, colourOf(value))
      for (let y = top; y < top + edgeRow - 1; y++)
        for (let x = left; x < right; x++)
          if ((x + y - top) % HATCH_STEP === 0) raster.mix(x, y, hatch.colour, hatch.alpha)
    }
    edge(part.below, height - edgeRow + 1)
    edge(part.above, 0)
  }
}

/** The largest value of each column as a dot. */
export function paintMaxima(raster: Raster, { columns, axis, edgeRow, ratio }: HeatParams): void {
  const colour = colourWord(MAX_COLOUR)
  const height = heatHeight(raster, edgeRow, axis)
  const step = raster.width / columns.length
  columns.forEach(({ totals }, index) => {
    if (totals !== undefined && totals.n > 0)
      dot(raster, (index + 0.5) * step, height(totals.maxNs), 1.6 * ratio, ratio, colour)
  })
}

/** An antialiased disc with a dark rim half a page pixel wide. */
function dot(raster: Raster, x: number, y: number, radius: number, ratio: number, colour: number): void {
  const outer = radius + 0.5 * ratio
  for (let row = Math.floor(y - outer); row <= y + outer; row++) {
    for (let column = Math.floor(x - outer); column <= x + outer; column++) {
      const [across, down] = [column + 0.5 - x, row + 0.5 - y]
      const away = Math.sqrt(across * across + down * down)
      raster.mix(column, row, EDGE_COLOUR, 0.6 * covered(outer - away))
      raster.mix(column, row, colour, covered(radius - away))
    }
  }
}

function covered(inside: number): number {
  return Math.max(0, Math.min(1, inside + 0.5))
}

/** A line over the cells, with an edge that contrasts with any colour. */
export function paintQuantile(raster: Raster, heights: Float64Array, colour: string, ratio: number): void {
  raster.line(heights, 3.4 * ratio, EDGE_COLOUR, 0.6)
  raster.line(heights, 1.6 * ratio, colourWord(colour))
}

const known = new WeakMap<Totals, { axis: Axis; parts: Parts }>()

/** Rows of a column, cached with its totals: only the newest column changes from frame to frame. */
function partsOf(totals: Totals, axis: Axis, rows: Rows): Parts {
  const held = known.get(totals)
  if (held !== undefined && held.axis.minNs === axis.minNs && held.axis.maxNs === axis.maxNs) return held.parts
  const parts = columnRows(totals, rows)
  known.set(totals, { axis, parts })
  return parts
}

function peakOf({ counts, below, above }: Parts): number {
  return counts.reduce((most, value) => Math.max(most, value), Math.max(below, above))
}
