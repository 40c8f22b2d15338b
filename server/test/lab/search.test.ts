// The search for the highest steady rate: which rate is run next, and that it ends in its time.
import { describe, expect, test } from 'vitest'
import type { Pool } from '../../src/lab/measure/pool.js'
import { bestOf, nextStep, type Pace, type Step } from '../../src/lab/measure/search.js'
import { asAttempt, poolAt, runAt, type Shown } from './rates.js'

const pace: Pace = { run: 1, least: 2, patience: 4, closing: 4 }
const PEAK = 1000
const FIRST = 520

const good: Shown = {}
const poor: Shown = { reads: 80 }
const stalled: Shown = { reads: 92 }

describe('the next step', () => {
  test.each<[says: string, left: number, pools: Pool[], next: Partial<Step>]>([
    ['a rate that holds for too short is run again', 9, [poolAt(520, good)], { rate: 520, seconds: 1, closes: false }],
    ['one that a stall met too', 9, [poolAt(520, stalled)], { rate: 520 }],
    ['one that cannot hold any more is tried afresh', 9, [poolAt(520, poor)], { rate: 520, afresh: true }],
    ['so is one that would take the time of a lower one', 3, [poolAt(520, stalled)], { rate: 520, afresh: true }],
    ['when it has failed twice it is left for a lower one', 9, [asAttempt(2, poolAt(520, poor))], { rate: 312 }],
    [
      'when a lower one holds it is tried once more',
      9,
      [asAttempt(2, poolAt(520, poor)), poolAt(312, good, good)],
      { rate: 520, afresh: true },
    ],
    ['from one that holds it goes up', 9, [poolAt(500, good, good)], { rate: 650 }],
    ['not above the peak', 9, [poolAt(900, good, good)], { rate: PEAK }],
    [
      'between one that holds and one that fails',
      9,
      [poolAt(400, good, good), asAttempt(3, poolAt(900, poor))],
      { rate: 600 },
    ],
    [
      'near enough, what holds is closed',
      9,
      [poolAt(500, good, good), asAttempt(3, poolAt(540, poor))],
      { rate: 500, seconds: 2, closes: true },
    ],
    [
      'so it is when the time for another is over',
      4,
      [poolAt(500, good, good)],
      { rate: 500, seconds: 2, closes: true },
    ],
    ['a close is as short as the time', 1.5, [poolAt(500, good, good)], { seconds: 1, closes: true }],
    [
      'one that a close found wanting gives way to a lower one',
      4,
      [poolAt(400, good, good), poolAt(500, good, good, { seconds: 4, reads: 90 })],
      { rate: 400, closes: true },
    ],
    ['the first is run for long enough whatever the time', -3, [poolAt(520, good)], { rate: 520 }],
  ])('%s', (_, left, pools, next) => {
    expect(nextStep(pools, pace, PEAK, left)).toMatchObject(next)
  })

  test.each<[says: string, left: number, pools: Pool[]]>([
    ['what holds is closed', 4, [poolAt(500, good, good, { seconds: 2 }), asAttempt(3, poolAt(540, poor))]],
    ['the second rate has no time', 0.5, [poolAt(520, poor), poolAt(312, good)]],
    ['what fails at a fiftieth of the peak fails by the machine', 9, [asAttempt(2, poolAt(30, poor))]],
    ['nothing holds, and the time is over', 1, [poolAt(520, poor)]],
  ])('is none: %s', (_, left, pools) => {
    expect(nextStep(pools, pace, PEAK, left)).toBeUndefined()
  })
})

/** A whole search on a machine that does `at` a rate, in its how-manieth run; what it found, and the time that it took. */
function search(at: (rate: number, turn: number) => Shown, time: number) {
  let taken = 1
  let turn = 0
  const pools = new Map([[FIRST, poolAt(FIRST, at(FIRST, turn++))]])
  for (;;) {
    const step = nextStep([...pools.values()], pace, PEAK, time - taken)
    if (step === undefined) break
    const rate = Math.round(step.rate)
    const before = pools.get(rate) ?? { ...poolAt(rate), attempt: 0 }
    const [attempt, runs] = step.afresh ? [before.attempt + 1, []] : [before.attempt, before.runs]
    pools.set(rate, {
      ...before,
      attempt,
      runs: [...runs, runAt(rate, { ...at(rate, turn++), seconds: step.seconds })],
    })
    taken += step.seconds + 0.1
  }
  return { found: bestOf([...pools.values()], pace)?.rate, taken }
}

test.each([
  ['holds up to 900', (rate: number) => (rate <= 900 ? good : poor), 676, 900],
  ['holds up to 600', (rate: number) => (rate <= 600 ? good : poor), 520, 600],
  ['holds up to 300', (rate: number) => (rate <= 300 ? good : poor), 180, 300],
  [
    'stalls in every fourth run',
    (rate: number, turn: number) => (rate > 700 ? poor : turn % 4 === 0 ? poor : good),
    520,
    700,
  ],
])('a machine that %s', (_, at, from, to) => {
  const { found, taken } = search(at, 11)
  expect(found).toBeGreaterThanOrEqual(from)
  expect(found).toBeLessThanOrEqual(to)
  expect(taken).toBeLessThanOrEqual(11)
})

test('a machine that holds nothing ends the search in its time', () => {
  const { found, taken } = search(() => poor, 11)
  expect([found, taken <= 11]).toEqual([undefined, true])
})
