import { expect, test } from 'vitest'
import { ratioOf, ratioVerdict, type Met } from '../src/live/latency/misses'
import type { Verdict } from '../src/live/latency/verdict'
import { ratioWords } from '../src/live/latency/words'
import { dice } from './dice'

interface Span {
  sections: number
  n: number
  /** share of single misses */
  missing: number
  /** share of sections with a burst of 200 misses */
  bursts?: number
}

function span(seed: number, { sections, n, missing, bursts = 0 }: Span): Met[] {
  const random = dice(seed)
  return Array.from({ length: sections }, () => {
    const single = Array.from({ length: n }, random).filter((value) => value < missing).length
    const burst = random() < bursts ? 200 : 0
    return { n, met: n - Math.min(n, single + burst) }
  })
}

const said = (of: Met[], from: Met[]): Verdict => ratioVerdict(ratioOf(of, from), of, from)

test.each<[string, Span]>([
  ['few misses', { sections: 30, n: 1000, missing: 0.001 }],
  ['many misses', { sections: 30, n: 1000, missing: 0.01 }],
  ['most miss', { sections: 30, n: 1000, missing: 0.7 }],
  ['few sections', { sections: 8, n: 1000, missing: 0.003 }],
  ['rare bursts', { sections: 30, n: 1000, missing: 0.001, bursts: 0.05 }],
  ['bursts', { sections: 30, n: 1000, missing: 0.001, bursts: 0.25 }],
  ['bursts alone', { sections: 10, n: 1000, missing: 0, bursts: 0.2 }],
])('of equal spans one pair in a hundred is said to differ at most: %s', (_, of) => {
  const pairs = Array.from({ length: 150 }, (_one, pair) => said(span(2 * pair + 1, of), span(2 * pair + 2, of)))
  // One or two are expected of 150, and five are still likely.
  expect(pairs.filter((word) => word === 'better' || word === 'worse').length).toBeLessThanOrEqual(5)
})

test('from 99.9% to 99.5% is five times as many misses, and is worse', () => {
  const few = span(1, { sections: 30, n: 1000, missing: 0.001 })
  const many = span(2, { sections: 30, n: 1000, missing: 0.005 })
  expect([said(many, few), said(few, many)]).toEqual(['worse', 'better'])
  const { of, value = NaN, low = NaN, high = NaN } = ratioOf(many, few) ?? {}
  expect([of, low > 2 && value > 3.5 && value < 7 && high < 12]).toEqual(['misses', true])
})

test('hits are compared if they are fewer, and more of them are better', () => {
  const rare = span(1, { sections: 30, n: 1000, missing: 0.998 })
  const rarer = span(2, { sections: 30, n: 1000, missing: 0.99 })
  expect(ratioOf(rarer, rare)?.of).toBe('hits')
  expect([said(rarer, rare), said(rare, rarer)]).toEqual(['better', 'worse'])
})

test('no difference is claimed only if it is shown', () => {
  const steady = { sections: 30, n: 20_000, missing: 0.05 }
  expect(said(span(1, steady), span(2, steady))).toBe('no difference')
  const few = { sections: 30, n: 1000, missing: 0.001 }
  expect(said(span(1, few), span(2, few))).toBe('cannot tell')
  const none = (n: number): Met[] => span(1, { sections: 30, n, missing: 0 })
  expect([said(none(100), none(100)), said(none(10), none(10))]).toEqual(['no difference', 'cannot tell'])
  // One burst against none is one event against none.
  const burst = none(1000).map((section, at) => (at === 7 ? { ...section, met: 500 } : section))
  expect(said(burst, none(1000))).toBe('cannot tell')
  expect(said(none(1000).slice(0, 4), none(1000))).toBe('cannot tell')
})

test('a ratio says what it is of', () => {
  expect(ratioWords({ of: 'misses', value: 4.96, low: 2.91, high: 12_000 })).toBe('misses × 5 (2.9 to over 1000)')
})
