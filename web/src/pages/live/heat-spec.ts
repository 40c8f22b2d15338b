import type { ChartSpec, Heat } from '../../charts/spec/spec'
import type { Column } from '../../live/buffer'
import { axisFor, columnRows, rowsFor, shade, type Axis, type Rows } from '../../live/latency/cells'
import { enoughFor, quantile } from '../../live/latency/quantile'
import type { Totals } from '../../live/latency/totals'
import type { LiveView } from '../../live/view'
import { timeOf } from './live-source'
import { figureNames } from '../../components/api-words'
import { t } from '../../language/text'

const LINES = (
  [
    { name: 'p50', q: 0.5 },
    { name: 'p99', q: 0.99 },
    { name: 'p99.9', q: 0.999 },
  ] as const
).map(({ name, q }) => ({
  name,
  of: ifAny((totals) => quantile(totals, q) ?? null),
  thin: ({ totals }: Column): boolean => totals !== undefined && totals.n > 0 && !enoughFor(totals, q),
}))
const maxOf = ifAny(({ maxNs }) => maxNs)
const countOf = ({ totals }: Column): number | null => totals?.n ?? null
const errorsOf = ({ totals }: Column): number | null => totals?.errors ?? null

/** A value of a column, or null if nothing ended in it. */
function ifAny<T>(read: (totals: Totals) => T) {
  return ({ totals }: Column): T | null => (totals === undefined || totals.n === 0 ? null : read(totals))
}

const TARGET_NS = 1e6
const FAINTEST_SHARE = 1e-5
const MOST_LEVEL = 255

/** Latency by time: cells for all operations, lines for quantiles, dots for the slowest. */
export function heatSpec(view: LiveView, absolute: boolean): ChartSpec {
  const axis = axisFor([view.whole.totals])
  return {
    x: timeOf(view),
    y: { scale: 'log', format: 'latency', from: axis.minNs, to: axis.maxNs },
    series: [
      ...LINES.map(({ name, of, thin }) => ({
        id: name,
        name,
        colour: name,
        values: view.each(of),
        thin: view.each(thin),
      })),
      { id: 'max', name: figureNames('max'), colour: 'max', look: 'dots', values: view.each(maxOf) },
    ],
    facts: [
      { name: 'n', format: 'count', values: view.each(countOf) },
      { name: figureNames('errors'), format: 'count', values: view.each(errorsOf) },
    ],
    targets: [{ name: t('target'), at: TARGET_NS }],
    heat: heatOf(view, axis, absolute),
  }
}

interface Levels {
  made: number
  axis: Axis
  rows: Rows
  levels: Uint8Array
}

/** The shares that a view showed last, because a frame moves them and adds a column. */
const shares = new WeakMap<LiveView, Levels>()

function heatOf(view: LiveView, axis: Axis, absolute: boolean): Heat {
  const { made, columns, from, kept } = view.now()
  const old = absolute ? undefined : shares.get(view)
  const isNext = old?.made === made - 1 && isSame(old.axis, axis)
  const rows = isNext ? old.rows : rowsFor(axis)
  const height = rows.edges.length + 1
  const levels = new Uint8Array(columns.length * height)
  if (isNext) levels.set(old.levels.subarray(from * height, (from + kept) * height))
  const first = isNext ? kept : 0
  const parts = columns
    .slice(first)
    .map(({ totals }) => (totals === undefined || totals.n === 0 ? undefined : partsOf(totals, axis, rows)))
  const peak = parts.reduce((most, part) => Math.max(most, part?.most ?? 0), 2)
  parts.forEach((part, index) => {
    if (part !== undefined) levels.set(absolute ? part.byCount(peak) : part.byShare, (first + index) * height)
  })
  if (!absolute) shares.set(view, { made, axis, rows, levels })
  return { edges: rows.edges, levels }
}

const isSame = (one: Axis, other: Axis): boolean => one.minNs === other.minNs && one.maxNs === other.maxNs

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
  if (held !== undefined && isSame(held.axis, axis)) return held
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
