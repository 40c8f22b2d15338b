import type { ChartSpec, SeriesColour } from '../../charts/spec/spec'
import { measure, type Measured } from '../../live/latency/quantile'
import type { Totals } from '../../live/latency/totals'
import { t } from '../../language/text'

/** The latency of one set of operations by quantile. */
export interface Curve {
  name: string
  colour: SeriesColour
  /** operations */
  n: number
  /** places 1/(1−q) at which something was measured; unset: everywhere */
  places?: readonly number[]
  at: (oneIn: number) => Measured | undefined
}

/** Places of a decade that are round quantiles, or lie evenly between them: 1 is p0, 2 is p50, 10 is p90. */
const DECADE = [1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8]
const DECADES = 7
const grid = Array.from({ length: DECADES }, (_, power) => DECADE.map((place) => place * 10 ** power)).flat()
/** A quantile means something if so many operations lie above it. */
const SURE = 10

/** The curve of a histogram. */
export function curveOf(name: string, colour: SeriesColour, totals: Totals): Curve {
  return { name, colour, n: totals.n, at: (oneIn) => measure(totals, 1 - 1 / oneIn) }
}

/**
 * Latency over 1/(1−q), both logarithmic, so that each nine has the same room. The figures beside a value are the bounds
 * between which it was measured. It ends at the slowest operation, and is grey where fewer than ten are slower. Without
 * operations it has no value.
 */
export function percentileSpec(curves: readonly Curve[]): ChartSpec {
  const most = Math.max(0, ...curves.map(({ n }) => n))
  const everywhere = curves.some(({ places }) => places === undefined) ? grid : []
  const all = new Set([...everywhere, ...curves.flatMap(({ places = [] }) => places)])
  const values = [...all].filter((oneIn) => oneIn <= most).toSorted((a, b) => a - b)
  const drawn = curves.map((curve) => ({
    ...curve,
    measured: values.map((oneIn) => {
      const isPlace = curve.places === undefined ? everywhere.includes(oneIn) : curve.places.includes(oneIn)
      return oneIn <= curve.n && isPlace ? (curve.at(oneIn) ?? null) : null
    }),
  }))
  const facts = drawn.flatMap(({ name, measured }) =>
    (['low', 'high'] as const).map((bound) => ({
      name: `${name}, ${bound === 'low' ? t('at least') : t('at most')}`,
      format: 'latency' as const,
      values: measured.map((one) => one && one[bound]),
    })),
  )
  return {
    x: { name: 'quantile', scale: 'log', format: 'quantile', values },
    y: { scale: 'log', format: 'latency' },
    series: drawn.map(({ name, colour, n, measured, places }) => ({
      id: name,
      name,
      colour,
      look: places === undefined ? 'line' : 'points',
      values: measured.map((one) => one && one.value),
      thin: values.map((oneIn, index) => measured[index] !== null && oneIn * SURE > n * (1 + 1e-9)),
    })),
    facts,
  }
}
