import { evenTicks, roundTop, timeTicks } from '../../charts/axes'
import { colourWord } from '../../charts/paint/colour-word'
import type { Scene } from '../../charts/paint/painter'
import { mixed } from '../../charts/paint/raster'
import type { ChartTheme } from '../../charts/theme'
import { shortCount } from '../../format'
import type { Column } from '../../live/buffer'
import type { Totals } from '../../live/latency/totals'
import type { LiveView } from '../../live/view'

/** Operations per second of a column; undefined without a frame. */
export function perSecond(column: Column, of: (totals: Totals) => number): number | undefined {
  return column.totals === undefined || column.durationMs === 0
    ? undefined
    : of(column.totals) / (column.durationMs / 1000)
}

/** Operations per second: successes as a filled line, errors as a line. */
export function loadScene(view: LiveView, colours: ChartTheme): Scene {
  return {
    colours,
    paint: (raster, ratio) => {
      const { columns } = view
      const rates = (of: (totals: Totals) => number): Float64Array =>
        Float64Array.from(columns, (column) => perSecond(column, of) ?? Number.NaN)
      const [ok, errors] = [rates((totals) => totals.n), rates((totals) => totals.errors)]
      const top = roundTop([...ok, ...errors].reduce((most, rate) => (rate > most ? rate : most), 4))
      const value = evenTicks(0, top, 2, shortCount)
      const thin = Math.round(ratio)
      const thickness = 1.6 * ratio
      const heights = (values: Float64Array): Float64Array =>
        values.map((rate) => raster.height - thickness / 2 - (raster.height - thickness) * (rate / top))
      const panel = colourWord(colours.panel)
      const accent = colourWord(colours.accent)
      raster.clear(panel)
      raster.area(heights(ok), mixed(panel, accent, 0.12))
      for (const { at } of value) {
        const y = Math.round((raster.height - thin) * (1 - at))
        raster.rect(0, y, raster.width, y + thin, colourWord(colours.line))
      }
      raster.line(heights(ok), thickness, accent)
      raster.line(heights(errors), thickness, colourWord(colours.bad))
      return { time: timeTicks(view.range), value }
    },
  }
}
