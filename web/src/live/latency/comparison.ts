import { quantileName } from '../../format'
import type { Column } from '../buffer'
import { bucketUpper, sloIndex, SUB_BUCKETS } from './buckets'
import { ratioOf, ratioVerdict, type Met, type Ratio } from './misses'
import { mean, measure, shareWithin } from './quantile'
import { totalsOf } from './summary'
import type { Part } from './totals'
import { estimateOf, intervalOf, verdictOf, type Estimate, type Interval, type Verdict } from './verdict'

/** One figure of a span beside that of another. */
export interface ComparedFigure {
  name: string
  kind: 'rate' | 'time' | 'share'
  value: number | undefined
  other: number | undefined
  /** whether a span has too few operations for the figure */
  thin: boolean
  /** unset: too few operations, or none that the histogram tells apart; a share has a ratio instead */
  interval: Interval | undefined
  ratio?: Ratio | undefined
  verdict: Verdict
}

interface Figure {
  name: string
  kind: 'rate' | 'time'
  of: (part: Part) => number | undefined
  /** operations that a section must have */
  least: number
  /** values up to here are not told apart */
  floor?: number
  /** a smaller difference, as a share of the other value, is none worth the name */
  smallest: number
  higherIsBetter: boolean
}

/** A span is cut into at most so many sections. */
const MOST_SECTIONS = 30
const SMALLEST = 0.05
/** The width of a bucket: the histogram does not tell more apart. */
const SMALLEST_QUANTILE = 1 / SUB_BUCKETS

const quantileFigure = (q: number): Figure => ({
  name: quantileName(1 / (1 - q)),
  kind: 'time',
  of: ({ totals }) => measure(totals, q)?.value,
  least: 10 / (1 - q) - 1e-6,
  floor: bucketUpper(0),
  smallest: SMALLEST_QUANTILE,
  higherIsBetter: false,
})

const TARGET_NS = 1e6

const figures: readonly Figure[] = [
  {
    name: 'rate',
    kind: 'rate',
    of: ({ totals, seconds }) => (seconds > 0 ? totals.n / seconds : undefined),
    least: 0,
    smallest: SMALLEST,
    higherIsBetter: true,
  },
  {
    name: 'mean',
    kind: 'time',
    of: ({ totals }) => mean(totals),
    least: 1,
    smallest: SMALLEST,
    higherIsBetter: false,
  },
  ...[0.5, 0.9, 0.99, 0.999].map(quantileFigure),
]

/** The figures of a span beside those of another, each with a verdict. Values are those of the merged histograms. */
export function compareSpans(of: readonly Column[], other: readonly Column[]): ComparedFigure[] {
  return [...figures.map((figure) => comparedFigure(figure, of, other)), comparedShare(of, other)]
}

function comparedFigure(figure: Figure, of: readonly Column[], other: readonly Column[]): ComparedFigure {
  const [one, two] = [estimate(figure, of), estimate(figure, other)]
  const interval = one.estimate && two.estimate && intervalOf(one.estimate, two.estimate)
  const { name, kind, smallest, higherIsBetter } = figure
  const verdict = verdictOf(interval, smallest * Math.abs(two.value ?? 0), higherIsBetter)
  return { name, kind, value: one.value, other: two.value, thin: one.thin || two.thin, interval, verdict }
}

function comparedShare(of: readonly Column[], other: readonly Column[]): ComparedFigure {
  const [one, two] = [of, other].map((columns) => sectionsOf(columns, 1).map(metOf)) as [Met[], Met[]]
  const [value, past] = [of, other].map((columns) => shareWithin(totalsOf(columns).totals, TARGET_NS))
  const ratio = ratioOf(one, two)
  const thin = value === undefined || past === undefined
  const verdict = ratioVerdict(ratio, one, two)
  return { name: '≤ 1 ms', kind: 'share', value, other: past, thin, interval: undefined, ratio, verdict }
}

function metOf(section: readonly Column[]): Met {
  const { totals } = totalsOf(section)
  return { n: totals.n, met: totals.slo[sloIndex(TARGET_NS)] ?? 0 }
}

function estimate(figure: Figure, columns: readonly Column[]): { value?: number; estimate?: Estimate; thin: boolean } {
  const whole = totalsOf(columns)
  const value = figure.of(whole)
  const thin = whole.totals.n < figure.least
  if (value === undefined || value <= (figure.floor ?? -1)) return { ...(value !== undefined && { value }), thin }
  const values = sectionsOf(columns, figure.least).map((section) => figure.of(totalsOf(section)))
  const known = estimateOf(
    value,
    values.filter((one) => one !== undefined),
  )
  return { value, thin, ...(known !== undefined && { estimate: known }) }
}

/** Neighbouring columns joined until each section has enough operations. What is left over belongs to the last one. */
export function sectionsOf(columns: readonly Column[], least: number): Column[][] {
  const present = columns.filter(({ totals }) => totals !== undefined)
  const length = Math.ceil(present.length / MOST_SECTIONS)
  const sections: Column[][] = []
  let [open, n] = [[] as Column[], 0]
  for (const column of present) {
    open.push(column)
    n += column.totals?.n ?? 0
    if (open.length < length || n < least) continue
    sections.push(open)
    ;[open, n] = [[], 0]
  }
  sections.at(-1)?.push(...open)
  return sections
}
