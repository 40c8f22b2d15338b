import { effectiveOf, freedomOf, LEAST_SECTIONS, student, type Verdict } from './verdict'

/** Operations of a section, and those among them that met a target. */
export interface Met {
  n: number
  met: number
}

/** How many times as many operations a span has on the smaller side of a target, with 99% confidence. */
export interface Ratio {
  /** the side that fewer operations are on */
  of: 'misses' | 'hits'
  value: number
  low: number
  high: number
}

/** A smaller change, by this factor or its inverse, is none worth the name. */
const SMALLEST_FACTOR = 1.25
/** If neither span misses, its share is certainly known to half a point with so many operations: ln(100) / 0.005. */
const ENOUGH_WITHOUT = 922

/**
 * Compares the misses of two spans, or their hits if those are fewer: from 99.9% to 99.5% is half a point, and five times
 * as many misses. Misses come in bursts. So their number varies `burst` times as much as that of independent ones, and
 * as many count as one.
 */
export function ratioOf(of: readonly Met[], from: readonly Met[]): Ratio | undefined {
  if (of.length < LEAST_SECTIONS || from.length < LEAST_SECTIONS) return undefined
  const [n, met] = [sum([...of, ...from], 'n'), sum([...of, ...from], 'met')]
  const isOfMisses = met * 2 >= n
  const [one, two] = [countsOf(of, isOfMisses), countsOf(from, isOfMisses)]
  const found = one.count + two.count
  if (one.n === 0 || two.n === 0 || found === 0) return undefined
  const burst = Math.max(1, (one.variance + two.variance) / found)
  // Half of one more on each side (Haldane and Anscombe), so that none at all has a ratio.
  const [a, b] = [one.count + burst / 2, two.count + burst / 2]
  const middle = Math.log(a / one.n / (b / two.n))
  const half = student(one.freedom + two.freedom) * Math.sqrt(burst / a + burst / b)
  return {
    of: isOfMisses ? 'misses' : 'hits',
    value: Math.exp(middle),
    low: Math.exp(middle - half),
    high: Math.exp(middle + half),
  }
}

/** The verdict on two spans: more hits are better. */
export function ratioVerdict(ratio: Ratio | undefined, of: readonly Met[], from: readonly Met[]): Verdict {
  if (ratio === undefined) return neitherMisses(of) && neitherMisses(from) ? 'no difference' : 'cannot tell'
  const { value, low, high } = ratio
  if (low > 1 / SMALLEST_FACTOR && high < SMALLEST_FACTOR) return 'no difference'
  const isSmall = value > 1 / SMALLEST_FACTOR && value < SMALLEST_FACTOR
  if ((low <= 1 && high >= 1) || isSmall) return 'cannot tell'
  return value > 1 === (ratio.of === 'hits') ? 'better' : 'worse'
}

function neitherMisses(sections: readonly Met[]): boolean {
  const [n, met] = [sum(sections, 'n'), sum(sections, 'met')]
  return sections.length >= LEAST_SECTIONS && n >= ENOUGH_WITHOUT && met === n
}

const sum = (sections: readonly Met[], part: keyof Met): number =>
  sections.reduce((total, section) => total + section[part], 0)

/** The operations on one side of the target, and how much their number varies. */
function countsOf(sections: readonly Met[], isOfMisses: boolean) {
  const countOf = ({ n, met }: Met): number => (isOfMisses ? n - met : met)
  const n = sum(sections, 'n')
  const count = sections.reduce((total, section) => total + countOf(section), 0)
  const rests = sections.map((section) => countOf(section) - (count / n) * section.n)
  const squares = rests.reduce((total, rest) => total + rest ** 2, 0)
  const length = sections.length
  const effective = effectiveOf(rests)
  return { n, count, variance: (squares * length ** 2) / effective / (length - 1), freedom: freedomOf(effective) }
}
