import { clock, latencyEdge } from '../format'
import type { ChartColours } from './theme'
import type { TimeRange } from './geometry'
import type { ChartOption } from './echarts'

type One<T> = Exclude<NonNullable<T>, unknown[]>
type XAxis = One<ChartOption['xAxis']>
type YAxis = One<ChartOption['yAxis']>

const font = (colours: ChartColours) => ({ color: colours.mute, fontFamily: colours.mono, fontSize: 11 })

export function timeAxis(range: TimeRange, colours: ChartColours, offset = 0): XAxis {
  return {
    type: 'time',
    min: range.from,
    max: range.to,
    offset,
    splitNumber: 5,
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: {
      ...font(colours),
      hideOverlap: true,
      formatter: (value: number) => clock(value, value % 60_000 !== 0),
      margin: 6,
    },
  }
}

export function latencyAxis(minNs: number, maxNs: number, colours: ChartColours): YAxis {
  return {
    type: 'log',
    min: minNs,
    max: maxNs,
    axisLine: { show: false },
    axisTick: { show: false },
    minorTick: { show: false },
    splitLine: { lineStyle: { color: colours.line } },
    axisLabel: { ...font(colours), formatter: (value: number) => latencyEdge(value) },
  }
}

export function valueAxis(
  colours: ChartColours,
  min: number,
  max: number | undefined,
  label: (value: number) => string,
  splitNumber = 2,
): YAxis {
  return {
    type: 'value',
    min,
    ...(max === undefined ? {} : { max }),
    splitNumber,
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: colours.line } },
    axisLabel: { ...font(colours), formatter: label, showMinLabel: true, showMaxLabel: true },
  }
}
