// Refusals are held for a moment, and then go out a few at a time, so that an overload costs a bounded number of them.
import { describe, expect, test } from 'vitest'
import {
  HELD_TICKS,
  HELD_TICKS_MAX,
  HeldRefusals,
  REFUSALS_IN_TIME,
  REFUSALS_LEAST,
  SERVED_A_REFUSAL,
} from '../../src/overload/held.js'

/** Refusals that go out at a measurement here, and how much is served for that. */
const A_TICK = 100
const SERVED = A_TICK * SERVED_A_REFUSAL

describe('held refusals', () => {
  /** Holds so many, each with others behind it; `sent` has their numbers. */
  function holding(count: number, behind = 0) {
    const held = new HeldRefusals()
    const sent: number[] = []
    for (let n = 0; n < count; n += 1) held.hold(() => sent.push(n) && 1 + behind)
    const ticks = (times: number, inTime = false, served = SERVED) => {
      for (let n = 0; n < times; n += 1) held.tick(inTime, served)
    }
    return { held, sent, ticks }
  }

  test('none goes out before its time, and all go out in order', () => {
    const { held, sent, ticks } = holding(3)
    ticks(HELD_TICKS - 1)
    expect([sent, held.count]).toEqual([[], 3])
    held.hold(() => sent.push(3))
    ticks(1)
    expect([sent, held.count]).toEqual([[0, 1, 2], 1])
    ticks(HELD_TICKS - 1)
    expect([sent, held.count]).toEqual([[0, 1, 2, 3], 0])
  })

  test('a measurement sends a share of what is served, and more if the loop is in time', () => {
    const { sent, ticks } = holding(A_TICK * 2 + REFUSALS_IN_TIME)
    ticks(HELD_TICKS)
    expect(sent.length).toBe(A_TICK)
    ticks(1, true)
    expect(sent.length).toBe(A_TICK + REFUSALS_IN_TIME)
    ticks(1)
    expect(sent.length).toBe(A_TICK * 2 + REFUSALS_IN_TIME)
  })

  test('few are served: few go out, and never none', () => {
    const { sent, ticks } = holding(A_TICK)
    ticks(HELD_TICKS, false, 0)
    expect(sent.length).toBe(REFUSALS_LEAST)
    ticks(1, false, SERVED_A_REFUSAL * 7 - 1)
    expect(sent.length).toBe(REFUSALS_LEAST + 6)
  })

  test('those refused with it count, known or not', () => {
    const behind = A_TICK / 2 - 1
    const { held, sent, ticks } = holding(100, behind)
    ticks(HELD_TICKS)
    expect(sent.length).toBe(2)
    for (let n = 0; n < behind * 2 + A_TICK; n += 1) held.sent()
    ticks(1)
    expect(sent.length).toBe(2)
    ticks(1)
    expect(sent.length).toBe(4)
  })

  test('none is held for ever', () => {
    const { held, sent, ticks } = holding(10 * A_TICK, A_TICK * HELD_TICKS_MAX)
    ticks(HELD_TICKS_MAX)
    expect([sent.length, held.count]).toEqual([10 * A_TICK, 0])
  })

  test('an end sends all of them, and holds none from then on', () => {
    const { held, sent } = holding(3)
    held.close()
    held.hold(() => sent.push(3))
    expect([sent, held.count]).toEqual([[0, 1, 2, 3], 0])
  })
})
