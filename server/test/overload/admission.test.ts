// The share of requests that is refused follows the measured delay, down at once and up within seconds.
import { describe, expect, test } from 'vitest'
import { Admission } from '../../src/overload/admission.js'
import { isData } from '../../src/overload/gate.js'
import { Alarm } from '../../src/overload/loop.js'

const TARGET_MS = 50
const TICK_MS = 25
/** Requests that every measurement lets through whatever the share. */
const FREE = 16

/** An admission with a clock of its own: each step is one measurement. */
function stepping(targetMs = TARGET_MS) {
  const admission = new Admission(targetMs)
  let nowMs = 0
  const step = (delayMs: number) => {
    nowMs += TICK_MS + delayMs
    admission.sample(delayMs, nowMs)
  }
  /** How many of so many requests are served now. */
  const served = (requests: number) => Array.from({ length: requests }, () => admission.admits()).filter(Boolean).length
  return { admission, step, served }
}

describe('admission', () => {
  test('nothing is refused while the loop is in time, nor after one pause', () => {
    const { admission, step, served } = stepping()
    for (const delayMs of [0, 49, 50, 5000, 0, 180, 0]) {
      step(delayMs)
      expect(served(1000)).toBe(1000)
    }
    expect(admission.refused).toBe(0)
  })

  test('a loop that stays late has its requests refused, the more the later it is', () => {
    const { admission, step, served } = stepping()
    for (let i = 0; i < 3; i += 1) step(100)
    expect(admission.shedding).toBe(true)
    const some = served(1016)
    expect(some).toBeGreaterThan(FREE)
    expect(some).toBeLessThan(1016)
    expect(admission.refused).toBe(1016 - some)
    step(100)
    expect(served(1016)).toBeLessThan(some)
  })

  test('few requests are served however late the loop is', () => {
    const { step, served } = stepping()
    for (let i = 0; i < 50; i += 1) {
      step(1000)
      expect(served(FREE)).toBe(FREE)
    }
    expect(served(1000)).toBe(20)
  })

  test('two seconds after the loop is in time again nothing is refused', () => {
    const { admission, step, served } = stepping()
    for (let i = 0; i < 50; i += 1) {
      served(10_000)
      step(1000)
    }
    expect(admission.refusedShare).toBeCloseTo(0.98)
    for (let ms = 0; ms < 2000; ms += TICK_MS) step(0)
    expect(admission.shedding).toBe(false)
    expect(served(1000)).toBe(1000)
  })

  test('an overload that comes back is refused at once, one that was long ago is not', () => {
    const { admission, step } = stepping()
    for (let i = 0; i < 3; i += 1) step(100)
    while (admission.shedding) step(0)
    step(100)
    expect(admission.shedding).toBe(true)
    while (admission.shedding) step(0)
    for (let ms = 0; ms < 2000; ms += TICK_MS) step(0)
    step(100)
    expect(admission.shedding).toBe(false)
  })

  test('it finds the share at which the loop is in time', () => {
    const { admission, step } = stepping()
    // A thousand requests that wait, of 200 us each, and refusals of 5.
    const delays: number[] = []
    for (let i = 0; i < 400; i += 1) {
      let ms = 0
      for (let n = 0; n < 1000; n += 1) ms += admission.admits(ms) ? 0.2 : 0.005
      step(ms)
      delays.push(ms)
    }
    const late = delays.slice(200).sort((a, b) => a - b)
    expect(late[100]).toBeLessThan(TARGET_MS * 0.75)
    expect(late[100]).toBeGreaterThan(TARGET_MS * 0.25)
    expect(late[198]).toBeLessThan(TARGET_MS)
  })

  test('a turn that goes on for too long serves few requests more, and only while some are refused', () => {
    const { admission, step } = stepping()
    const inTurn = (turnMs: number) =>
      Array.from({ length: 1000 }, () => admission.admits(turnMs)).filter(Boolean).length
    expect(inTurn(500)).toBe(1000)
    for (let i = 0; i < 3; i += 1) step(100)
    expect(inTurn(24)).toBeGreaterThan(FREE)
    step(0)
    expect(inTurn(25)).toBe(FREE)
    expect(inTurn(24)).toBeGreaterThan(0)
  })

  test('who has waited for longer than the target is refused, and only while some are', () => {
    const { admission, step } = stepping()
    expect(admission.admits(0, 1000)).toBe(true)
    for (let i = 0; i < 3; i += 1) step(100)
    expect([admission.admits(0, TARGET_MS + 1), admission.admits(0, TARGET_MS)]).toEqual([false, true])
  })

  test('what is too much for a turn is refused on, though the loop is in time again', () => {
    const { admission, step } = stepping()
    for (let i = 0; i < 3; i += 1) step(100)
    const inTurn = () => Array.from({ length: 100 }, () => admission.admits(TARGET_MS)).filter(Boolean).length
    for (let ms = 0; ms < 10_000; ms += TICK_MS) {
      expect(inTurn()).toBe(FREE)
      step(0)
    }
    expect(admission.refusedShare).toBeCloseTo(0.84)
    // Nobody asks for more any more.
    for (let ms = 0; ms < 2000; ms += TICK_MS) step(0)
    expect([admission.shedding, admission.refusedShare]).toEqual([false, 0])
  })

  test('a share is told of enough requests, and not for longer than they come', () => {
    const { admission, step, served } = stepping()
    const share = () => [admission.shedding, admission.refusedShare]
    for (let i = 0; i < 3; i += 1) step(100)
    // The loop is late, and nobody asks for data.
    expect(share()).toEqual([true, 0])
    // One that has waited for too long is not all of them.
    admission.admits(0, TARGET_MS + 1)
    step(100)
    expect(share()).toEqual([true, 0])
    const refused = 1000 - served(1000)
    step(100)
    expect(admission.refusedShare).toBeCloseTo(refused / 1000, 2)
    for (let i = 0; i < 40; i += 1) step(100)
    expect(share()).toEqual([true, 0])
  })

  test('a target of 0 refuses nothing', () => {
    const { step, served } = stepping(0)
    for (let i = 0; i < 50; i += 1) step(1000)
    expect(served(1000)).toBe(1000)
  })
})

test.each([
  ['/api/v1/namespaces/n/records/k', true],
  ['/api/v1/namespaces/n/sets/s/records/k?bins=a', true],
  ['/api/v1/namespaces/n/sets/s/read', true],
  ['/api/v1/namespaces/n/query', true],
  ['/api/v1/namespaces/n/export?set=s', true],
  ['/v1/kvs/n/s/k', true],
  ['/v2/operate/n/s/k', true],
  ['/ycsb/n/s/k', true],
  ['/healthz', false],
  ['/readyz', false],
  ['/metrics', false],
  ['/login?code=1', false],
  ['/api/v1/auth/me', false],
  ['/api/v1/live', false],
  ['/api/v1/status', false],
  ['/api/v1/jobs', false],
  ['/api/v1/namespaces', false],
  ['/api/v1/namespaces/records', false],
  ['/', false],
])('%s asks for data: %s', (url, data) => {
  expect(isData(url)).toBe(data)
})

test('an alarm remembers since when, until its figure is within the bound', () => {
  const alarm = new Alarm(200)
  const at = (second: number) => new Date(second * 1000)
  const seen = [199, 201, 900, 200, 250].map((figure, second) => {
    alarm.look(figure, at(second))
    return alarm.since
  })
  expect(seen).toEqual([undefined, at(1), at(1), undefined, at(4)])
})
