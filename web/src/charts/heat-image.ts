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
  /** lines over the cells: a value a column, undefined where the line breaks */
  lines: { colour: string; values: (number | undefined)[] }[]
}

export const MAX_COLOUR = '#d0bfff'
const FAINTEST_SHARE = 1e-5

/** Paints the cells of the heatmap at device resolution; one image, so that a frame costs one blit. */
export function paintHeat(canvas: HTMLCanvasElement, params: HeatParams): void {
  const { columns, axis, absolute, width, height, edgeRow } = params
  const context = canvas.getContext('2d')
  if (context === null || width === 0 || height === 0) return
  const image = imageFor(canvas, context, width, height)
  const pixels = new Uint32Array(image.data.buffer)
  pixels.fill(0)
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
  const x = (index: number): number => ((index + 0.5) * width) / columns.length
  for (const line of params.lines) stroke(context, line, x, y)
  dots(
    context,
    columns.map(({ totals }, index) => [
      x(index),
      totals === undefined || totals.n === 0 ? undefined : y(totals.maxNs),
    ]),
  )
}

/** The largest value of each column; drawn here because three hundred symbols cost a chart more than the whole image. */
function dots(context: CanvasRenderingContext2D, places: [number, number | undefined][]): void {
  const radius = 1.6 * window.devicePixelRatio
  context.beginPath()
  for (const [x, y] of places) {
    if (y === undefined) continue
    context.moveTo(x + radius, y)
    context.arc(x, y, radius, 0, 2 * Math.PI)
  }
  context.fillStyle = MAX_COLOUR
  context.fill()
  context.strokeStyle = 'rgb(10 14 20 / 70%)'
  context.lineWidth = 0.7 * window.devicePixelRatio
  context.stroke()
}

const images = new WeakMap<HTMLCanvasElement, ImageData>()

/** One buffer a canvas, made anew only when its size changes: a megabyte a second would keep the collector busy. */
function imageFor(
  canvas: HTMLCanvasElement,
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
): ImageData {
  const known = images.get(canvas)
  if (known !== undefined && known.width === width && known.height === height) return known
  canvas.width = width
  canvas.height = height
  const image = context.createImageData(width, height)
  images.set(canvas, image)
  return image
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

/** A line over the cells, edged so that it can be told from any colour below it. */
function stroke(
  context: CanvasRenderingContext2D,
  { colour, values }: HeatParams['lines'][number],
  x: (index: number) => number,
  y: (ns: number) => number,
): void {
  const ratio = window.devicePixelRatio
  context.beginPath()
  values.forEach((value, index) => {
    if (value === undefined) return
    const [left, top] = [x(index), y(value)]
    if (index === 0 || values[index - 1] === undefined) context.moveTo(left - ratio, top)
    context.lineTo(left, top)
  })
  context.lineJoin = 'round'
  context.strokeStyle = 'rgb(10 14 20 / 60%)'
  context.lineWidth = 3.4 * ratio
  context.stroke()
  context.strokeStyle = colour
  context.lineWidth = 1.6 * ratio
  context.stroke()
}
