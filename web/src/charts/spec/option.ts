import type { CustomSeriesOption, LineSeriesOption } from 'echarts/charts'
import type { GridComponentOption } from 'echarts/components'
import type { ComposeOption } from 'echarts/core'
import { bandsOf } from './bands'
import { barsOf } from './bars'
import { BOTTOM, EDGE_ROW, LEFT, rightOf, TITLE, TOP } from './geometry'
import { labelSeries, labelsOf } from './labels'
import { lookOf } from './palette'
import { levelOf, placeOf, shownSeries, xScale, yScale, type Scale, type View } from './scale'
import type { ChartSpec, Range, Series } from './spec'
import type { ChartTheme } from '../theme'

export type ChartOption = ComposeOption<LineSeriesOption | CustomSeriesOption | GridComponentOption>

/** A name is not shortened further than this, and stands so far from the next, CSS pixels. */
const NAME_MIN = 48
const NAME_GAP = 8
const FONT_PX = 11
const LINE_PX = 1.5
const SYMBOL_PX = 7
const LONE_PX = 4
const AREA = 0.12
/** A chart with more points than this shows no symbols. */
const MOST_SYMBOLS = 40
/** A plot at least as high has an axis of four steps. */
const HIGH_PX = 200
const TARGET_DASH = [4, 3]
const MARK_DASH = [1, 2]
const EDGE_PX = 3.4
const EDGE = 0.6
const DOT_PX = 3.5
const Z = { heat: 2, marks: 3, edges: 4, lines: 5 } as const

/** Steps of a linear y axis. */
export const partsFor = (height: number): number => (height < HIGH_PX ? 2 : 4)

/** CSS pixels. */
interface Size {
  width: number
  height: number
}

/** Insets of the plot of a chart of a width. Bars have no labels at their right. */
export function insets({ x, y, series }: ChartSpec, width: number) {
  const hasLines = series.some(({ look }) => look !== 'bars')
  return {
    left: LEFT,
    right: rightOf(hasLines ? width : 0),
    top: TOP + (y.name === undefined ? 0 : TITLE),
    bottom: BOTTOM + (x.titled === true ? TITLE : 0),
  }
}

/** Insets of the axes: a heatmap has rows beyond them. */
function gridInsets(spec: ChartSpec, width: number): ReturnType<typeof insets> {
  const { left, right, top, bottom } = insets(spec, width)
  const edge = spec.heat === undefined ? 0 : EDGE_ROW
  return { left, right, top: top + edge, bottom: bottom + edge }
}

/** Paints the heatmap for a plot of a size, and answers the canvas. */
export type PaintHeat = (width: number, height: number) => HTMLCanvasElement

/** The chart as ECharts draws it. Pure, so that it can run in a worker and in a test. */
export function optionOf(
  spec: ChartSpec,
  theme: ChartTheme,
  view: View,
  { width, height }: Size,
  paintHeat?: PaintHeat,
): ChartOption {
  const x = xScale(spec.x, view.zoom)
  const y = yScale(spec, view, partsFor(height))
  const shown = shownSeries(spec, view)
  // A narrow chart has no room for them.
  const labels = rightOf(width) > rightOf(0) ? labelsOf(spec, view, x, y) : []
  const bars = shown.filter(({ look }) => look === 'bars')
  return {
    animation: false,
    backgroundColor: 'transparent',
    textStyle: { fontFamily: theme.font, fontSize: FONT_PX, color: theme.mute },
    grid: { id: 'plot', ...gridInsets(spec, width), outerBoundsMode: 'none' },
    xAxis: { ...axisOf('x', x, theme, roomOfName(spec, x, width)), ...(spec.x.titled === true && xTitle(spec.x.name)) },
    yAxis: { ...axisOf('y', y, theme), ...(spec.y.name !== undefined && yTitle(spec.y.name)) },
    series: [
      bandsOf(spec, theme, FONT_PX),
      ...(spec.heat === undefined || paintHeat === undefined ? [] : [heatOf(paintHeat)]),
      ...shown.flatMap((series): (LineSeriesOption | CustomSeriesOption)[] =>
        series.look === 'bars' ? [barsOf(series, bars, spec, theme, y)] : linesOf(series, spec, theme, x, y),
      ),
      marksOf(spec, theme, y),
      ...(spec.targets ?? []).map(({ name, at }) => targetOf(name, at, spec, theme, x, y)),
      ...(labels.length === 0 ? [] : [labelSeries(labels, theme, FONT_PX)]),
    ],
  }
}

/** How wide a name below the plot may be, so that it does not hide the others; undefined: no names. */
function roomOfName(spec: ChartSpec, { ticks }: Scale, width: number): number | undefined {
  if (spec.x.scale !== 'names') return undefined
  const { left, right } = insets(spec, width)
  return Math.max(NAME_MIN, (width - left - right) / Math.max(1, ticks.length) - NAME_GAP)
}

function axisOf(id: string, { from, to, log, ticks, text }: Scale, theme: ChartTheme, room?: number) {
  const customValues = [...ticks]
  const formatter = (value: number): string => text(value)
  return {
    id,
    type: log ? ('log' as const) : ('value' as const),
    min: from,
    max: to,
    axisLine: { show: false },
    axisTick: { show: false, customValues },
    minorTick: { show: false },
    splitLine: { show: id === 'y', lineStyle: { color: theme.line, width: 1 } },
    axisLabel: {
      customValues,
      formatter,
      hideOverlap: id === 'x',
      color: theme.mute,
      fontSize: FONT_PX,
      margin: 8,
      ...(room !== undefined && { width: room, overflow: 'truncate' as const }),
    },
  }
}

const xTitle = (name: string) => ({ name, nameLocation: 'end' as const, nameTextStyle: atEnd, nameGap: 0 })
const atEnd = { align: 'right' as const, verticalAlign: 'top' as const, padding: [24, 0, 0, 0], fontSize: FONT_PX }
const yTitle = (name: string) => ({ name, nameLocation: 'end' as const, nameGap: 10, nameTextStyle: aboveAxis })
const aboveAxis = { align: 'right' as const, padding: [0, 8, 0, 0], fontSize: FONT_PX }

const still = { silent: true, animation: false } as const
const plainLine = { ...still, type: 'line', symbol: 'none' } as const

type Point = [x: number, y: number | null]
type Item = Point | { value: Point; symbol: string; symbolSize: number }

/** A series: its line, and in grey the part that has too few samples. */
function linesOf(series: Series, spec: ChartSpec, theme: ChartTheme, x: Range, y: Range): LineSeriesOption[] {
  const { id, values, thin } = series
  const sure = values.map((value, index) => (thin?.[index] === true ? null : value))
  const line = lineOf(series, sure, spec, theme, x, y)
  const lines = lookOf(series.colour).edged === true && series.look !== 'dots' ? [edgeOf(line, theme), line] : [line]
  if (thin?.includes(true) !== true) return lines
  // The grey part begins at the last sure value and ends at the next one, so that the line has no hole.
  const unsure = values.map((value, index) =>
    [index - 1, index, index + 1].some((near) => thin[near] === true) ? value : null,
  )
  const grey = { ...lineOf(series, unsure, spec, theme, x, y), id: `${id} thin`, areaStyle: { opacity: 0 } }
  const paint = { color: theme.none }
  return [{ ...grey, itemStyle: paint, lineStyle: { ...grey.lineStyle, ...paint } }, ...lines]
}

/** A dark line below another, so that it contrasts with every colour under it. */
function edgeOf(line: LineSeriesOption, theme: ChartTheme): LineSeriesOption {
  const lineStyle = { color: theme.edge, width: EDGE_PX, opacity: EDGE }
  return { ...line, id: `${String(line.id)} edge`, z: Z.edges, symbol: 'none', lineStyle }
}

function lineOf(
  { id, name, colour, look = 'line' }: Series,
  values: readonly (number | null)[],
  { x, y: axis }: ChartSpec,
  theme: ChartTheme,
  shown: Range,
  y: Range,
): LineSeriesOption {
  const { dash, symbol } = lookOf(colour)
  const paint = theme.series[colour]
  const levels = values.map((value) => levelOf(axis, value, y))
  const points = x.values.map((at, index): Point => [placeOf(x, at), levels[index] ?? null])
  const joined = look === 'points'
  const symbols = joined || points.filter(([at]) => at >= shown.from && at <= shown.to).length <= MOST_SYMBOLS
  const isLone = (index: number): boolean =>
    (levels[index] ?? null) !== null && (levels[index - 1] ?? null) === null && (levels[index + 1] ?? null) === null
  const data = points.map((value, index): Item =>
    !symbols && isLone(index) ? { value, symbol: 'circle', symbolSize: LONE_PX } : value,
  )
  return {
    ...plainLine,
    id,
    name,
    z: Z.lines,
    data,
    connectNulls: joined,
    showSymbol: true,
    showAllSymbol: true,
    symbol: symbols || look === 'dots' ? symbol : 'none',
    symbolSize: look === 'dots' ? DOT_PX : SYMBOL_PX,
    itemStyle: { color: paint, ...(look === 'dots' && { borderColor: theme.edge, borderWidth: 0.5 }) },
    lineStyle: {
      color: paint,
      width: look === 'dots' ? 0 : theme.contrast ? LINE_PX * 1.5 : LINE_PX,
      type: dash.length === 0 ? 'solid' : [...dash],
    },
    ...(look === 'area' && { areaStyle: { color: paint, opacity: AREA } }),
  }
}

/** A level that the values should keep. */
function targetOf(name: string, at: number, { y: axis }: ChartSpec, theme: ChartTheme, x: Range, y: Range) {
  const level = levelOf(axis, at, y)
  return {
    ...plainLine,
    id: `target ${name}`,
    z: Z.lines,
    data: [
      [x.from, level],
      [x.to, level],
    ] as Point[],
    lineStyle: { color: theme.ink, width: 1, type: TARGET_DASH },
  }
}

/** One thin upright line for each mark. */
function marksOf({ marks = [] }: ChartSpec, theme: ChartTheme, { from, to }: Range): LineSeriesOption {
  const data = marks.flatMap(({ at }): Point[] => [
    [at, from],
    [at, to],
    [at, null],
  ])
  return { ...plainLine, id: 'marks', z: Z.marks, data, lineStyle: { color: theme.mute, width: 1, type: MARK_DASH } }
}

/** The heatmap as one image, because an element for each cell would cost more than all the rest. */
function heatOf(paintHeat: PaintHeat): CustomSeriesOption {
  return {
    ...still,
    id: 'heat',
    type: 'custom',
    z: Z.heat,
    data: [[0, 0]],
    renderItem: ({ coordSys }) => {
      const { x, y, width, height } = coordSys as unknown as { x: number; y: number; width: number; height: number }
      const image = paintHeat(width, height + 2 * EDGE_ROW)
      return { type: 'image', style: { image, x, y: y - EDGE_ROW, width, height: height + 2 * EDGE_ROW } }
    },
  }
}
