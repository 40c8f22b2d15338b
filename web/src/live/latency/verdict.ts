/** What a comparison says. It claims no difference only if it has shown that there is none worth the name. */
export type Verdict = 'better' | 'worse' | 'no difference' | 'cannot tell'

/** A difference with the bounds between which it lies, with 99% confidence. */
export interface Interval {
  difference: number
  low: number
  high: number
}

/** `smallest`: a smaller difference is none worth the name. */
export function verdictOf(interval: Interval | undefined, smallest: number, higherIsBetter: boolean): Verdict {
  if (interval === undefined) return 'cannot tell'
  const { difference, low, high } = interval
  if (low > -smallest && high < smallest) return 'no difference'
  if ((low <= 0 && high >= 0) || Math.abs(difference) < smallest) return 'cannot tell'
  return difference > 0 === higherIsBetter ? 'better' : 'worse'
}

/** A figure of a whole span, and how sure it is. */
export interface Estimate {
  value: number
  variance: number
  /** degrees of freedom of the variance */
  freedom: number
}

/** Fewer sections say nothing about how much a figure varies. */
export const LEAST_SECTIONS = 5
/** Normal quantile of the intervals, two-sided: 99%. */
const Z = 2.576
/** How alike few sections are is a guess. It makes the variance larger already. */
const LEAST_FREEDOM = 3

/**
 * How sure the figure of a whole span is, from the same figure of its sections ("sectioning": Asmussen and Glynn,
 * Stochastic Simulation, III.5). Neighbouring sections are alike, so they count for fewer than they are.
 */
export function estimateOf(value: number, sections: readonly number[]): Estimate | undefined {
  const count = sections.length
  if (count < LEAST_SECTIONS) return undefined
  const squares = sections.reduce((sum, one) => sum + (one - value) ** 2, 0)
  const average = sections.reduce((sum, one) => sum + one, 0) / count
  const effective = effectiveOf(sections.map((one) => one - average))
  return { value, variance: squares / (count - 1) / effective, freedom: freedomOf(effective) }
}

/**
 * How many independent sections say as much, from what the sections differ by from their mean. Few sections show
 * themselves less alike than they are (Kendall, 1954).
 */
export function effectiveOf(rests: readonly number[]): number {
  const squares = rests.reduce((sum, rest) => sum + rest ** 2, 0)
  const neighbours = rests.reduce((sum, rest, at) => sum + rest * (rests[at - 1] ?? 0), 0)
  const shown = squares > 0 ? Math.max(0, neighbours / squares) : 0
  const alike = Math.min(0.9, shown + (1 + 3 * shown) / rests.length)
  return (rests.length * (1 - alike)) / (1 + alike)
}

export const freedomOf = (effective: number): number => Math.max(LEAST_FREEDOM, effective - 1)

/** The difference of two estimates with Welch's interval. */
export function intervalOf(of: Estimate, from: Estimate): Interval {
  const variance = of.variance + from.variance
  const part = ({ variance: own, freedom }: Estimate): number => own ** 2 / freedom
  const parts = part(of) + part(from)
  const half = student(parts > 0 ? variance ** 2 / parts : Infinity) * Math.sqrt(variance)
  const difference = of.value - from.value
  return { difference, low: difference - half, high: difference + half }
}

/** Student's quantile by its expansion around the normal one. */
export function student(freedom: number): number {
  const v = Math.max(1, freedom)
  const first = (Z ** 3 + Z) / 4
  const second = (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / 96
  const third = (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / 384
  return Z + first / v + second / v ** 2 + third / v ** 3
}
