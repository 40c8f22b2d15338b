import { timeAxis, valueAxis } from '../../charts/axes'
import type { ChartOption, LineSeriesOption } from '../../charts/echarts'
import { BOTTOM, LEFT, RIGHT, TOP, type TimeRange } from '../../charts/geometry'
import type { ChartColours } from '../../charts/theme'
import type { Column } from '../../live/buffer'
import { shareWithin } from '../../live/quantile'

export type ShareScale = '90' | '0' | 'nines'

export const SHARE_EDGES = [
  { edgeNs: 250e3, label: '≤ 250 µs' },
  { edgeNs: 1e6, label: '≤ 1 ms' },
  { edgeNs: 5e6, label: '≤ 5 ms' },
  { edgeNs: 50e6, label: '≤ 50 ms' },
] as const

export const TARGET_SHARE = 0.99
const MOST_NINES = 6

export function shareColours(colours: ChartColours): string[] {
  return [colours.good, colours.accent, colours.warn, colours.bad]
}

/** Nines of a share: 0.99 -> 2, 0.999 -> 3; a full share is drawn at the top. */
export function nines(value: number): number {
  return value >= 1 ? MOST_NINES : Math.min(MOST_NINES, 0 - Math.log10(1 - value))
}

interface Params {
  columns: Column[]
  range: TimeRange
  scale: ShareScale
  stepMs: number
  colours: ChartColours
}

/** Share of operations within 250 us, 1, 5 and 50 ms, as bands (widest painted first) or as nines. */
export function shareOption({ columns, range, scale, stepMs, colours }: Params): ChartOption {
  const place = scale === 'nines' ? nines : (value: number) => value * 100
  const paint = shareColours(colours)
  const floor = scale === '90' ? 90 : 0
  const series = SHARE_EDGES.map(({ edgeNs, label }, index): LineSeriesOption => ({
    type: 'line',
    name: label,
    animation: false,
    silent: true,
    showSymbol: false,
    step: 'middle',
    z: 10 - index,
    data: columns.map((column) => {
      const value = column.totals === undefined ? undefined : shareWithin(column.totals, edgeNs)
      return [column.start + stepMs / 2, value === undefined ? null : Math.max(floor, place(value))]
    }),
    lineStyle: { width: scale === 'nines' ? 1.6 : 0, color: paint[index]! },
    ...(scale === 'nines' ? {} : { areaStyle: { color: paint[index]!, opacity: 1, origin: 'start' as const } }),
  }))
  const target = place(TARGET_SHARE)
  return {
    animation: false,
    grid: { left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM },
    xAxis: timeAxis(range, colours),
    yAxis:
      scale === 'nines'
        ? valueAxis(
            colours,
            0,
            MOST_NINES,
            (value) =>
              value === 0
                ? '0%'
                : value === MOST_NINES
                  ? '100%'
                  : `${(100 - 10 ** (2 - value)).toFixed(Math.max(0, value - 2))}%`,
            3,
          )
        : valueAxis(colours, floor, 100, (value) => `${value}%`),
    series: [
      ...series,
      {
        type: 'line',
        name: 'target',
        animation: false,
        silent: true,
        showSymbol: false,
        z: 20,
        data: [
          [range.from, target],
          [range.to, target],
        ],
        lineStyle: { width: 1, type: 'dashed', color: colours.ink },
      },
    ],
  }
}
