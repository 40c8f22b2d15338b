import { timeAxis, valueAxis } from '../../charts/axes'
import type { ChartOption } from '../../charts/echarts'
import { BOTTOM, LEFT, RIGHT, TOP, type TimeRange } from '../../charts/geometry'
import type { ChartColours } from '../../charts/theme'
import { shortCount } from '../../format'
import type { Column } from '../../live/buffer'
import type { Totals } from '../../live/totals'

/** Operations a second of a column; null where no frame came. */
export function perSecond(column: Column, of: (totals: Totals) => number): number | null {
  return column.totals === undefined || column.durationMs === 0 ? null : of(column.totals) / (column.durationMs / 1000)
}

export function loadOption(columns: Column[], range: TimeRange, stepMs: number, colours: ChartColours): ChartOption {
  const data = (of: (totals: Totals) => number): [number, number | null][] =>
    columns.map((column) => [column.start + stepMs / 2, perSecond(column, of)])
  const base = { type: 'line', animation: false, silent: true, showSymbol: false } as const
  const peak = Math.max(0, ...columns.map((column) => perSecond(column, (totals) => totals.n + totals.errors) ?? 0))
  return {
    animation: false,
    grid: { left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM },
    xAxis: timeAxis(range, colours),
    yAxis: valueAxis(colours, 0, peak < 4 ? 4 : undefined, shortCount),
    series: [
      {
        ...base,
        name: 'ok',
        data: data((totals) => totals.n),
        lineStyle: { width: 1.6, color: colours.accent },
        areaStyle: { color: colours.accent, opacity: 0.12 },
      },
      { ...base, name: 'errors', data: data((totals) => totals.errors), lineStyle: { width: 1.6, color: colours.bad } },
    ],
  }
}
