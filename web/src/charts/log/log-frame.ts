import { logPlace, logTicks, type Tick } from '../axes'
import type { LogAxis, Series } from './series'

/** Width of a character of the charts' font at 11 pixels. */
const CHARACTER = 6.7
const MARGIN = 1.6
const LEGEND_ROW = 20
const LEGEND_MARK = 44
const PLOT_HEIGHT = 240

/** Layout of a plot, in CSS pixels. */
export interface LogFrame {
  width: number
  height: number
  left: number
  right: number
  top: number
  bottom: number
  xOf: (value: number) => number
  yOf: (value: number) => number
  xTicks: Tick[]
  yTicks: Tick[]
  /** one place for each series */
  legend: { left: number; top: number }[]
}

/** Axes slightly wider than the points, and as many legend rows as needed. */
export function logFrame(width: number, series: readonly Series[], x: LogAxis, y: LogAxis): LogFrame {
  const points = series.flatMap((one) => one.points)
  const range = (values: number[]): [number, number] => [Math.min(...values) / MARGIN, Math.max(...values) * MARGIN]
  const [xMin, xMax] = range(points.map((point) => point.x))
  const [yMin, yMax] = range(points.map((point) => point.y))
  const [left, right] = [62, width - 12]
  const entry = LEGEND_MARK + Math.max(0, ...series.map(({ name }) => name.length)) * CHARACTER
  const columns = Math.max(1, Math.min(series.length, Math.floor((right - left) / entry)))
  const top = Math.ceil(series.length / columns) * LEGEND_ROW + 26
  const bottom = top + PLOT_HEIGHT
  return {
    width,
    height: bottom + 40,
    left,
    right,
    top,
    bottom,
    xOf: (value) => left + logPlace(value, xMin, xMax) * (right - left),
    yOf: (value) => bottom - logPlace(value, yMin, yMax) * (bottom - top),
    xTicks: logTicks(xMin, xMax, x.tick),
    yTicks: logTicks(yMin, yMax, y.tick),
    legend: series.map((_, index) => ({
      left: left + (index % columns) * entry,
      top: LEGEND_ROW / 2 + Math.floor(index / columns) * LEGEND_ROW,
    })),
  }
}
