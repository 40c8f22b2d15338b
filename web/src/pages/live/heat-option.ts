import { latencyAxis, timeAxis } from '../../charts/axes'
import type { ChartOption, CustomSeriesOption } from '../../charts/echarts'
import { BOTTOM, EDGE_ROW, LEFT, RIGHT, TOP, type TimeRange } from '../../charts/geometry'
import { MAX_COLOUR, paintHeat } from '../../charts/heat-image'
import type { ChartColours } from '../../charts/theme'
import type { Column } from '../../live/buffer'
import type { Axis } from '../../live/cells'
import { quantile } from '../../live/quantile'

export const HEAT_LINES = [
  { name: 'p50', q: 0.5, colour: '#ffffff' },
  { name: 'p99', q: 0.99, colour: '#ffa94d' },
  { name: 'p99.9', q: 0.999, colour: '#ff6b6b' },
] as const
export { MAX_COLOUR }
export const TARGET_NS = 1e6

interface Params {
  columns: Column[]
  range: TimeRange
  axis: Axis
  absolute: boolean
  colours: ChartColours
  canvas: HTMLCanvasElement
}

/** The latency heatmap: a custom series on time and log axes (the built-in heatmap needs category axes). */
export function heatOption({ columns, range, axis, absolute, colours, canvas }: Params): ChartOption {
  const lines = HEAT_LINES.map(({ q, colour }) => ({
    colour,
    values: columns.map(({ totals }) => (totals === undefined ? undefined : quantile(totals, q))),
  }))
  const base = { animation: false, silent: true, showSymbol: false } as const
  const cells: CustomSeriesOption = {
    type: 'custom',
    name: 'cells',
    ...base,
    clip: false,
    z: 1,
    data: [[range.from, axis.minNs]],
    renderItem: (params) => {
      const plot = params.coordSys as unknown as { x: number; y: number; width: number; height: number }
      const ratio = window.devicePixelRatio
      paintHeat(canvas, {
        columns,
        axis,
        absolute,
        width: Math.round(plot.width * ratio),
        height: Math.round((plot.height + 2 * EDGE_ROW) * ratio),
        edgeRow: Math.round(EDGE_ROW * ratio),
        lines,
        hatch: colours.dark ? 'rgb(255 255 255 / 55%)' : 'rgb(0 0 0 / 45%)',
      })
      return {
        type: 'image',
        style: {
          image: canvas,
          x: plot.x,
          y: plot.y - EDGE_ROW,
          width: plot.width,
          height: plot.height + 2 * EDGE_ROW,
        },
      }
    },
  }
  return {
    animation: false,
    grid: { left: LEFT, right: RIGHT, top: TOP + EDGE_ROW, bottom: BOTTOM + EDGE_ROW },
    xAxis: timeAxis(range, colours, EDGE_ROW),
    yAxis: latencyAxis(axis.minNs, axis.maxNs, colours),
    series: [
      cells,
      {
        type: 'line',
        name: 'target',
        ...base,
        z: 2,
        data: [
          [range.from, TARGET_NS],
          [range.to, TARGET_NS],
        ],
        lineStyle: { width: 1, type: 'dashed', color: colours.ink },
      },
    ],
  }
}
