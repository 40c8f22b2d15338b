import type { ChartSpec, Heat, SeriesColour } from '../../charts/spec/spec'
import type { Column } from '../../live/buffer'
import { axisFor, columnRows, rowsFor, shade, type Axis, type Rows } from '../../live/latency/cells'
import { enoughFor, quantile } from '../../live/latency/quantile'
import type { Totals } from '../../live/latency/totals'
import type { LiveView } from '../../live/view'
import { marksOf, timeOf } from './live-source'

const LINES: readonly { name: SeriesColour & string; q: number }[] = [
  { name: 'p50', q: 0.5 },
  { name: 'p99', q: 0.99 },
  { name: 'p99.9', q: 0.999 },
]
const TARGET_NS = 1e6
const FAINTEST_SHARE = 1e-5
const MOST_LEVEL = 255

/** Latency by time: cells for all operations, lines for quantiles, dots for the slowest. */
export function heatSpec(view: LiveView, absolute: boolean): ChartSpec {
  const totals = view.columns.map((column) => column.totals)
  const axis = axisFor(totals)
  const of = <T>(read: (one: Totals) => T): (T | null)[] =>
    totals.map((one) => (one === undefined || one.n === 0 ? null : read(one)))
  return {
    x: timeOf(view),
    y: { scale: 'log', format: 'latency', from: axis.minNs, to: axis.maxNs },
    series: [
      ...LINES.map(({ name, q }, line) => ({
        id: name,
        name,
        colour: name,
        values: of((one) => quantilesOf(one)[line] ?? null),
        thin: totals.map((one) => one !== undefined && one.n > 0 && !enoughFor(one, q)),
      })),
      { id: 'max', name: 'max', colour: 'max', look: 'dots', values: of((one) => one.maxNs) },
    ],
    facts: [
      { name: 'n', format: 'count', values: totals.map((one) => one?.n ?? null) },
      { name: 'errors', format: 'count', values: totals.map((one) => one?.errors ?? null) },
    ],
    targets: [{ name: 'target', at: TARGET_NS }],
    marks: marksOf(view),
    heat: heatOf(view.columns, axis, absolute),
  }
}

const quantiles = new WeakMap<Totals, (number | undefined)[]>()

/** The quantiles of the lines, cached with their column. */
function quantilesOf(totals: Totals): (number | undefined)[] {
  let values = quantiles.get(totals)
  if (values === undefined) {
    values = LINES.map(({ q }) => quantile(totals, q))
    quantiles.set(totals, values)
  }
  return values
}

function heatOf(columns: readonly Column[], axis: Axis, absolute: boolean): Heat {
  const rows = rowsFor(axis)
  const height = rows.edges.length + 1
  const levels = new Uint8Array(columns.length * height)
  const parts = columns.map(({ totals }) =>
    totals === undefined || totals.n === 0 ? undefined : partsOf(totals, axis, rows),
  )
  const peak = absolute ? parts.reduce((most, part) => Math.max(most, part?.most ?? 0), 2) : 1
  parts.forEach((part, column) => {
    if (part !== undefined) levels.set(absolute ? part.byCount(peak) : part.byShare, column * height)
  })
  return { edges: rows.edges, levels }
}

interface Parts {
  axis: Axis
  most: number
  byShare: Uint8Array
  byCount: (peak: number) => Uint8Array
}

const known = new WeakMap<Totals, Parts>()

/** The levels of a column, cached with its totals: only the newest column changes from frame to frame. */
function partsOf(totals: Totals, axis: Axis, rows: Rows): Parts {
  const held = known.get(totals)
  if (held !== undefined && held.axis.minNs === axis.minNs && held.axis.maxNs === axis.maxNs) return held
  const { counts, below, above } = columnRows(totals, rows)
  const all = [below, ...counts, above]
  const level = (value: number, low: number, high: number): number =>
    value === 0 ? 0 : 1 + Math.round(shade(value, low, high) * (MOST_LEVEL - 1))
  const parts: Parts = {
    axis,
    most: Math.max(...all),
    byShare: Uint8Array.from(all, (value) => level(value / totals.n, FAINTEST_SHARE, 1)),
    byCount: (peak) => Uint8Array.from(all, (value) => level(value, 1, peak)),
  }
  known.set(totals, parts)
  return parts
}
