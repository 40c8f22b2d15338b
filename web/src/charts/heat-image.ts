import type { Column } from '../live/buffer'
import { columnRows, rowsFor, shade, type Axis } from '../live/cells'
import { viridis } from './viridis'

export interface HeatParams {
  columns: Column[]
  axis: Axis
  absolute: boolean
  /** size in device pixels */
  width: number
  height: number
  /** height of the rows for what lies below and above the axis, device pixels */
  edgeRow: number
  hatch: string
}

const FAINTEST_SHARE = 1e-5

/** Paints the cells of the heatmap at device resolution; one image, so that a frame costs one blit. */
export function paintHeat(canvas: HTMLCanvasElement, params: HeatParams): void {
  const { columns, axis, absolute, width, height, edgeRow } = params
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d')
  if (context === null || width === 0 || height === 0) return
  const image = context.createImageData(width, height)
  const pixels = new Uint32Array(image.data.buffer)
  const rows = rowsFor(axis)
  const plot = height - 2 * edgeRow
  const span = Math.log(axis.maxNs / axis.minNs)
  const y = (ns: number): number =>
    edgeRow + Math.round(plot * (1 - Math.log(Math.max(axis.minNs, Math.min(axis.maxNs, ns)) / axis.minNs) / span))
  const tops = rows.edges.map(y)
  const parts = columns.map((column) =>
    column.totals === undefined || column.totals.n === 0 ? undefined : columnRows(column.totals, rows),
  )
  const peak = absolute
    ? Math.max(2, ...parts.map((part) => (part === undefined ? 0 : Math.max(...part.counts, part.below, part.above))))
    : 1
  const colourOf = (value: number, n: number): number => {
    const place = absolute ? shade(value, 1, peak) : shade(value / n, FAINTEST_SHARE, 1)
    return viridis[Math.round(place * 255)]!
  }
  const hatched: [number, number, number][] = []
  for (let index = 0; index < columns.length; index++) {
    const part = parts[index]
    const totals = columns[index]!.totals
    if (part === undefined || totals === undefined) continue
    const left = Math.round((index * width) / columns.length)
    const right = Math.round(((index + 1) * width) / columns.length)
    const fill = (top: number, bottom: number, colour: number): void => {
      for (let row = top; row < bottom; row++) pixels.fill(colour, row * width + left, row * width + right)
    }
    for (let row = 0; row < part.counts.length; row++) {
      const value = part.counts[row]!
      if (value > 0) fill(tops[row + 1]!, Math.max(tops[row]!, tops[row + 1]! + 1), colourOf(value, totals.n))
    }
    if (part.below > 0) {
      fill(height - edgeRow + 1, height, colourOf(part.below, totals.n))
      hatched.push([left, height - edgeRow + 1, right])
    }
    if (part.above > 0) {
      fill(0, edgeRow - 1, colourOf(part.above, totals.n))
      hatched.push([left, 0, right])
    }
  }
  context.putImageData(image, 0, 0)
  hatch(context, hatched, edgeRow - 1, params.hatch)
}

/** Diagonal strokes over the cells that stand for everything beyond an end of the axis. */
function hatch(
  context: CanvasRenderingContext2D,
  cells: [number, number, number][],
  size: number,
  colour: string,
): void {
  context.strokeStyle = colour
  context.lineWidth = 1
  context.beginPath()
  for (const [left, top, right] of cells) {
    for (let x = left - (left % 5); x < right; x += 5) {
      context.moveTo(Math.max(left, x), top + size)
      context.lineTo(Math.min(right, x + size), top)
    }
  }
  context.stroke()
}
