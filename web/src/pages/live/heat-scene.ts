import { latencyTicks, timeTicks } from '../../charts/axes'
import { colourWord } from '../../charts/paint/colour-word'
import { EDGE_ROW } from '../../charts/geometry'
import {
  heatHeight,
  MAX_COLOUR,
  paintCells,
  paintMaxima,
  paintQuantile,
  type HeatParams,
} from '../../charts/paint/heat-image'
import type { Scene } from '../../charts/paint/painter'
import type { ChartTheme } from '../../charts/theme'
import { axisFor } from '../../live/latency/cells'
import { quantile } from '../../live/latency/quantile'
import type { Totals } from '../../live/latency/totals'
import type { LiveView } from '../../live/view'

export const HEAT_LINES = [
  { name: 'p50', q: 0.5, colour: '#ffffff' },
  { name: 'p99', q: 0.99, colour: '#ffa94d' },
  { name: 'p99.9', q: 0.999, colour: '#ff6b6b' },
] as const
export { MAX_COLOUR }
export const TARGET_NS = 1e6

/** The latency heatmap: time across, latency up on a log axis, quantile lines, maxima and the target over the cells. */
export function heatScene(view: LiveView, absolute: boolean, colours: ChartTheme): Scene {
  return {
    colours,
    edgeRows: true,
    paint: (raster, ratio) => {
      const { columns } = view
      const axis = axisFor(columns.map(({ totals }) => totals))
      const edgeRow = Math.round(EDGE_ROW * ratio)
      const height = heatHeight(raster, edgeRow, axis)
      const value = latencyTicks(axis.minNs, axis.maxNs)
      const hatch = colours.dark ? { colour: 0xffffffff, alpha: 0.55 } : { colour: 0xff000000, alpha: 0.45 }
      const params: HeatParams = { columns, axis, absolute, edgeRow, hatch, ratio }
      const thin = Math.round(ratio)
      raster.clear(colourWord(colours.panel))
      for (const { at } of value) {
        const y = Math.round(edgeRow + (raster.height - 2 * edgeRow) * (1 - at))
        raster.rect(0, y, raster.width, y + thin, colourWord(colours.line))
      }
      paintCells(raster, params)
      const quantiles = columns.map(({ totals }) => totals && quantilesOf(totals))
      HEAT_LINES.forEach(({ colour }, line) => {
        const heights = new Float64Array(columns.length)
        quantiles.forEach((values, index) => {
          const ns = values?.[line]
          heights[index] = ns === undefined ? Number.NaN : height(ns)
        })
        paintQuantile(raster, heights, colour, ratio)
      })
      paintMaxima(raster, params)
      raster.dashes(Math.round(height(TARGET_NS)), Math.round(4 * ratio), colourWord(colours.ink), thin)
      return { time: timeTicks(view.range), value }
    },
  }
}

const known = new WeakMap<Totals, (number | undefined)[]>()

/** The quantiles of the lines, cached with their column. */
function quantilesOf(totals: Totals): (number | undefined)[] {
  let values = known.get(totals)
  if (values === undefined) {
    values = HEAT_LINES.map(({ q }) => quantile(totals, q))
    known.set(totals, values)
  }
  return values
}
