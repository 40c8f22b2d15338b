import type { CustomSeriesOption } from 'echarts/charts'
import type { ChartTheme } from '../theme'
import { levelOf, placeOf } from './scale'
import type { ChartSpec, Range, Series } from './spec'

/** Share of its place that a group of bars fills. */
const FILL = 0.7
const OPACITY = 0.85
/** A bar is no wider, CSS pixels. */
const MOST_PX = 64
/** A value above zero stays visible. */
const LEAST_PX = 1.5

/** The bars of one of `all` series that stand side by side. */
export function barsOf(series: Series, all: readonly Series[], spec: ChartSpec, theme: ChartTheme, y: Range) {
  const { id, name, colour, values } = series
  const { x, y: axis } = spec
  const place = all.indexOf(series) - all.length / 2
  const data = x.values.flatMap((value, index): [number, number][] => {
    const level = levelOf(axis, values[index] ?? null, y)
    return level === null || level <= 0 ? [] : [[placeOf(x, value), level]]
  })
  const bars: CustomSeriesOption = {
    silent: true,
    animation: false,
    id,
    name,
    type: 'custom',
    z: 5,
    clip: true,
    data,
    renderItem: (_, api) => {
      const at = Number(api.value(0))
      const [middle = 0, top = 0] = api.coord([at, api.value(1)])
      const [next = 0, floor = 0] = api.coord([at + (x.step ?? 1), y.from])
      const width = Math.min(MOST_PX, ((next - middle) * FILL) / all.length)
      const height = Math.max(LEAST_PX, floor - top)
      return {
        type: 'rect',
        shape: { x: middle + place * width, y: floor - height, width: Math.max(1, width - 1), height, r: [2, 2, 0, 0] },
        style: { fill: theme.series[colour], opacity: theme.contrast ? 1 : OPACITY },
      }
    },
  }
  return bars
}
