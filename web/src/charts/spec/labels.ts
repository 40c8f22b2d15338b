import type { CustomSeriesOption } from 'echarts/charts'
import type { ChartTheme } from '../theme'
import { textOf } from './formats'
import { lookOf } from './palette'
import { isWithin, levelOf, shownSeries, type Scale, type View } from './scale'
import type { ChartSpec, Series } from './spec'

/** Distance of two labels, CSS pixels. */
const LINE_PX = 13
/** From the plot to a label, and the line in the colour of its series between them. */
const GAP_PX = 12
const KEY_PX = 8
const TEXT_PX = 91
const KEY_WIDTH = 2
/** The dark edge of lines that lie over a heatmap. */
const EDGE_WIDTH = 4

interface Label {
  text: string
  colour: Series['colour']
  /** where the newest shown value is */
  level: number
}

/** What stands at the right edge: the name of each line, or the newest value if there is one line only. */
export function labelsOf(spec: ChartSpec, view: View, x: Scale, y: Scale): Label[] {
  const { step, values: places } = spec.x
  const lines = shownSeries(spec, view).filter(({ look }) => look !== 'bars')
  return lines.flatMap(({ name, colour, values }) => {
    const at = values.findLastIndex((value, index) => value !== null && isWithin(places[index] ?? Number.NaN, x, step))
    const value = values[at] ?? null
    const level = levelOf(spec.y, value, y)
    if (value === null || level === null) return []
    return [{ text: spec.series.length === 1 ? textOf(spec.y.format, value) : name, colour, level }]
  })
}

/** Heights that are far enough apart, as near to the wished ones as they can be, between two bounds. */
export function spreadOf(wished: readonly number[], from: number, to: number, apart = LINE_PX): number[] {
  const order = [...wished.keys()].toSorted((a, b) => (wished[a] ?? 0) - (wished[b] ?? 0))
  const placed: number[] = []
  let least = from
  for (const at of order) {
    placed[at] = Math.max(least, wished[at] ?? 0)
    least = placed[at] + apart
  }
  let most = to
  for (const at of order.toReversed()) {
    placed[at] = Math.min(most, placed[at] ?? 0)
    most = placed[at] - apart
  }
  return placed
}

/** The labels as one element right of the plot. */
export function labelSeries(labels: readonly Label[], theme: ChartTheme, fontPx: number): CustomSeriesOption {
  return {
    silent: true,
    animation: false,
    id: 'labels',
    type: 'custom',
    z: 6,
    data: [[0, 0]],
    renderItem: ({ coordSys }, api) => {
      const { x, y, width, height } = coordSys as unknown as Record<'x' | 'y' | 'width' | 'height', number>
      const wished = labels.map(({ level }) => api.coord([0, level])[1] ?? y)
      const tops = spreadOf(wished, y, y + height)
      const left = x + width + GAP_PX - KEY_PX - 2
      const font = `${fontPx}px ${theme.font}`
      return {
        type: 'group',
        children: labels.flatMap(({ text, colour }, at) => [
          ...(lookOf(colour).edged === true ? [keyOf(tops[at] ?? y, left, theme.edge, EDGE_WIDTH)] : []),
          keyOf(tops[at] ?? y, left, theme.series[colour], KEY_WIDTH),
          {
            type: 'text' as const,
            x: left + KEY_PX + 2,
            y: tops[at] ?? y,
            style: {
              text,
              fill: theme.mute,
              font,
              verticalAlign: 'middle' as const,
              width: TEXT_PX,
              overflow: 'truncate' as const,
            },
          },
        ]),
      }
    },
  }
}

function keyOf(top: number, left: number, stroke: string, lineWidth: number) {
  const shape = { x1: left, y1: top, x2: left + KEY_PX, y2: top }
  return { type: 'line' as const, shape, style: { stroke, lineWidth } }
}
