// How often a comparison is wrong: two spans of one distribution that are said to differ, and a difference not found.
// The numbers come from fixed seeds, so each run gives the same.
import { describe, expect, test } from 'vitest'
import type { Column } from '../src/live/buffer'
import { compareSpans } from '../src/live/latency/comparison'
import { addSeries, emptyTotals } from '../src/live/latency/totals'
import { estimateOf, intervalOf, verdictOf, type Estimate, type Verdict } from '../src/live/latency/verdict'
import { dice } from './dice'
import { seriesOf } from './frames'

/** How the seconds of a span are spread. */
interface Spread {
  seconds: number
  /** by how much the level of a second varies, as a share */
  noise: number
  /** how much of its level a second has from the one before */
  alike?: number
  level?: number
}

/** A normal number: the sum of twelve, less their mean. */
function normal(random: () => number): number {
  let sum = -6
  for (let at = 0; at < 12; at += 1) sum += random()
  return sum
}

function levels(random: () => number, { seconds, noise, alike = 0, level = 1 }: Spread): number[] {
  let own = normal(random)
  return Array.from({ length: seconds }, () => {
    const now = level * Math.exp(noise * own)
    own = alike * own + Math.sqrt(1 - alike ** 2) * normal(random)
    return now
  })
}

function estimate(values: number[]): Estimate {
  const known = estimateOf(values.reduce((sum, one) => sum + one, 0) / values.length, values)
  if (known === undefined) throw new Error('too few sections')
  return known
}

const differs = (verdict: Verdict | undefined): boolean => verdict === 'better' || verdict === 'worse'
const share = (verdicts: Verdict[], wanted: (verdict: Verdict) => boolean): number =>
  verdicts.filter(wanted).length / verdicts.length

/** Verdicts on pairs of spans, the first of each so many times as slow as the second. */
function verdicts(pairs: number, spread: Spread, times = 1): Verdict[] {
  const random = dice(spread.seconds)
  return Array.from({ length: pairs }, () => {
    const from = estimate(levels(random, spread))
    const of = estimate(levels(random, { ...spread, level: times }))
    return verdictOf(intervalOf(of, from), 0.05 * from.value, false)
  })
}

const PAIRS = 1500

describe('of two equal spans', () => {
  test.each([5, 9, 20, 30])(
    'with %s independent seconds, one pair in a hundred is said to differ at most',
    (seconds) => {
      for (const noise of [0.03, 0.1, 0.3]) {
        expect(share(verdicts(PAIRS, { seconds, noise }), differs), `noise ${noise}`).toBeLessThanOrEqual(0.01)
      }
    },
  )

  test.each([
    [5, 0.3],
    [9, 0.5],
    [20, 0.7],
    [30, 0.7],
  ])('with %s seconds that have %s of their level from the one before, three in a hundred', (seconds, alike) => {
    for (const noise of [0.03, 0.1, 0.3]) {
      expect(share(verdicts(PAIRS, { seconds, noise, alike }), differs), `noise ${noise}`).toBeLessThanOrEqual(0.03)
    }
  })
})

describe('a fifth more', () => {
  test.each([
    [5, 0.03],
    [9, 0.03],
    [20, 0.1],
    [30, 0.1],
  ])('is found nine times in ten, with %s seconds that vary by %s', (seconds, noise) => {
    expect(share(verdicts(PAIRS, { seconds, noise }, 1.2), (verdict) => verdict === 'worse')).toBeGreaterThanOrEqual(
      0.9,
    )
  })

  test('is found in half of the pairs if the seconds are alike', () => {
    const spread = { seconds: 20, noise: 0.05, alike: 0.5 }
    expect(share(verdicts(PAIRS, spread, 1.2), (verdict) => verdict === 'worse')).toBeGreaterThanOrEqual(0.5)
  })
})

describe('histograms of nine seconds', () => {
  const spanOf = (random: () => number, spread: Spread): Column[] =>
    levels(random, spread).map((level, second) => {
      const totals = emptyTotals()
      addSeries(totals, seriesOf(Array.from({ length: 300 }, () => 200_000 * level * (0.5 + random()))))
      return { start: second * 1000, durationMs: 1000, totals }
    })

  test.each([
    ['steady', { noise: 0 }],
    ['noisy', { noise: 0.15 }],
    ['alike', { noise: 0.15, alike: 0.5 }],
  ])('say of two equal spans in three of a hundred at most that they differ: %s', (_, spread) => {
    const random = dice(7)
    const wrong = new Map<string, number>()
    for (let pair = 0; pair < 100; pair += 1) {
      const [one, two] = [0, 1].map(() => spanOf(random, { seconds: 9, ...spread })) as [Column[], Column[]]
      for (const { name, verdict } of compareSpans(one, two)) {
        wrong.set(name, (wrong.get(name) ?? 0) + (differs(verdict) ? 1 : 0))
      }
    }
    expect([...wrong].filter(([, count]) => count > 3)).toEqual([])
    expect(wrong.size).toBe(7)
  })
})
