import { tickText, unitOf } from './formats'
import type { ChartSpec, Range, Series, XAxis, YAxis } from './spec'
import { byteTicks, evenTicks, logTicks, timeTicks, topTicks } from './ticks'
import { fixed } from '../../format'

/** What of a chart is shown: the same for the picture, the pointer and the keyboard. */
export interface View {
  /** ids of series that are switched off */
  hidden: readonly string[]
  /** the span of x that is shown; unset: all */
  zoom?: Range | undefined
}

/** An axis as it is drawn. */
export interface Scale extends Range {
  log: boolean
  ticks: readonly number[]
  text: (value: number) => string
}

const NAMES_MARGIN = 0.5
const LOG_MARGIN = 1.6
const TIMES = 6
/** Nines that the axis of shares reaches: a full share is drawn at its top. */
export const MOST_NINES = 6

/** The whole span of x. */
export function fullRange({ scale, values, range, step = 0 }: XAxis): Range {
  if (range !== undefined) return range
  const [first, last] = [values[0] ?? 0, values.at(-1) ?? 0]
  if (scale === 'names') return { from: first - NAMES_MARGIN, to: last + NAMES_MARGIN }
  if (scale === 'log') return { from: first / LOG_MARGIN, to: last * LOG_MARGIN }
  return last + step > first ? { from: first, to: last + step } : { from: first - 1, to: first + 1 }
}

/** The shown span of x: the zoom as far as it is inside of the whole. */
export function shownRange(x: XAxis, zoom: Range | undefined): Range {
  const full = fullRange(x)
  if (zoom === undefined) return full
  const [from, to] = [Math.max(full.from, zoom.from), Math.min(full.to, zoom.to)]
  return to > from ? { from, to } : full
}

const SECOND_MS = 1000

/** The x of a time; undefined on an axis that shows no time. */
export function xOfTime({ scale, originMs }: XAxis, timeMs: number): number | undefined {
  if (scale === 'time') return timeMs
  return originMs === undefined ? undefined : (timeMs - originMs) / SECOND_MS
}

/** The span of time that a span of x is, Unix milliseconds; undefined on an axis that shows no time. */
export function timesOf({ scale, originMs }: XAxis, { from, to }: Range): Range | undefined {
  if (scale === 'time') return { from, to }
  if (originMs === undefined) return undefined
  return { from: originMs + from * SECOND_MS, to: originMs + to * SECOND_MS }
}

export function xScale(x: XAxis, zoom?: Range): Scale {
  const range = shownRange(x, zoom)
  const text = (value: number): string => x.names?.[value] ?? tickText(x.format, value)
  return { ...range, log: x.scale === 'log', ticks: xTicks(x, range), text }
}

function xTicks({ scale, values, format }: XAxis, range: Range): number[] {
  if (values.length === 0) return []
  if (scale === 'time') return timeTicks(range)
  if (scale === 'log') return logTicks(range)
  if (scale === 'names') return values.filter((value) => value >= range.from && value <= range.to)
  return evenTicks(range, TIMES, format === 'seconds' || format === 'count' ? 1 : 0)
}

/** Where a value is drawn: columns in their middle. */
export function placeOf({ step = 0 }: XAxis, value: number): number {
  return value + step / 2
}

/** Nines of a share: 0.99 is 2, 0.999 is 3. */
export function nines(value: number): number {
  return value >= 1 ? MOST_NINES : Math.min(MOST_NINES, 0 - Math.log10(1 - value))
}

/** The y axis for the values that are shown. `parts`: steps of a linear axis. */
export function yScale(spec: ChartSpec, view: View, parts: number): Scale {
  const { y } = spec
  const text = (value: number): string => tickText(y.format, value)
  if (y.scale === 'nines')
    return { from: 0, to: MOST_NINES, log: false, ticks: [0, 2, 4, 6], text: (value) => ninesText(value) }
  const { low, high } = bounds(spec, view)
  if (y.scale === 'log') return { ...logRange(y, low, high), text }
  if (y.to !== undefined) {
    const { from = 0, to } = y
    const ticks = Array.from({ length: parts + 1 }, (_, index) => from + ((to - from) * index) / parts)
    return { from, to, log: false, ticks, text }
  }
  const most = Math.max(y.least ?? 0, high)
  const ticks = topTicks(most, unitOf(y.format, most), parts)
  return { from: 0, to: ticks.at(-1) ?? 1, log: false, ticks, text }
}

function logRange(y: YAxis, low: number, high: number): Omit<Scale, 'text'> {
  if (!(high > 0)) {
    const empty = { from: y.from ?? 1, to: y.to ?? Math.max(y.least ?? 0, 10 * (y.from ?? 1)) }
    return { ...empty, log: true, ticks: y.from === undefined ? [] : logTicks(empty) }
  }
  const from = y.from ?? low / LOG_MARGIN
  const above = y.from === undefined ? high * LOG_MARGIN : 10 ** Math.ceil(Math.log10(Math.max(high, y.least ?? 0)))
  const range = { from, to: Math.max(y.to ?? above, from * (y.from === undefined ? 1 : 10)) }
  return { ...range, log: true, ticks: y.format === 'bytes' ? byteTicks(range) : logTicks(range) }
}

/** Whether a point, or a part of a column, lies in a span. */
export function isWithin(x: number, { from, to }: Range, step = 0): boolean {
  return (step > 0 ? x + step > from : x >= from) && x <= to
}

/** The lowest and the highest shown value. */
function bounds({ x, y, series }: ChartSpec, { hidden, zoom }: View): { low: number; high: number } {
  const within = shownRange(x, zoom)
  const shown = x.values.map((value) => isWithin(value, within, x.step))
  let [low, high] = [Infinity, 0]
  for (const { id, values } of series) {
    if (hidden.includes(id)) continue
    values.forEach((value, index) => {
      if (value === null || shown[index] !== true || (y.scale === 'log' && value <= 0)) return
      low = Math.min(low, value)
      high = Math.max(high, value)
    })
  }
  return { low, high }
}

function ninesText(value: number): string {
  if (value === 0) return '0%'
  return value === MOST_NINES ? '100%' : `${fixed(100 - 10 ** (2 - value), Math.max(0, value - 2))}%`
}

/** Where a value of a series is drawn on the y axis; null: nowhere. */
export function levelOf({ scale }: YAxis, value: number | null, { from }: Range): number | null {
  if (value === null) return null
  if (scale === 'nines') return nines(value)
  return scale === 'log' ? Math.max(from, value) : value
}

/** Spans of x for which nothing arrived, from one value to the next. A fact without series is no gap. */
export function gapsOf({ x, series, facts = [] }: ChartSpec): Range[] {
  const all = [...series, ...facts]
  return spansOf(x, (index) => isEmpty(all, index))
}

/** Spans of x in which there was nothing to measure: the facts say so, and no series has a value. */
export function idleOf({ x, series, facts = [], idle }: ChartSpec): Range[] {
  return idle === undefined ? [] : spansOf(x, (index) => isEmpty(series, index) && !isEmpty(facts, index))
}

const isEmpty = (all: readonly { values: readonly (number | null)[] }[], index: number): boolean =>
  all.every(({ values }) => (values[index] ?? null) === null)

/** The spans whose values all pass a test. Between points a span reaches to its neighbours. */
function spansOf({ values, step = 0 }: XAxis, passes: (index: number) => boolean): Range[] {
  const spans: Range[] = []
  for (let index = 0; index < values.length; index++) {
    if (!passes(index)) continue
    const first = index
    while (index + 1 < values.length && passes(index + 1)) index++
    const from = step > 0 ? values[first] : values[Math.max(0, first - 1)]
    const to = step > 0 ? (values[index] ?? 0) + step : values[Math.min(values.length - 1, index + 1)]
    if (from !== undefined && to !== undefined && to > from) spans.push({ from, to })
  }
  return spans
}

/** The series that are shown. */
export const shownSeries = ({ series }: ChartSpec, { hidden }: View): Series[] =>
  series.filter(({ id }) => !hidden.includes(id))
