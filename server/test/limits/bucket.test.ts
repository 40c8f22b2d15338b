// The bucket of one caller, with a clock of the test.
import { expect, test } from 'vitest'
import { Bucket } from '../../src/limits/bucket.js'
import { effectiveLimits } from '../../src/limits/effective.js'
import type { CallerLimits } from '../../src/schemas/server/caller-limits.js'

const none = { callerRequestsPerSecond: 0, callerBurst: undefined, callerRequestsAtOnce: 0 }

function limitsOf(own: CallerLimits, defaults: Parameters<typeof effectiveLimits>[0] = none) {
  const limits = effectiveLimits(defaults, own)
  if (limits === undefined) throw new Error('there is no limit')
  return limits
}

/** How many of `tried` requests are taken in at that moment. */
function taken(bucket: Bucket, tried: number, nowMs: number): number {
  return Array.from({ length: tried }, () => bucket.enter(nowMs)).filter((refusal) => refusal === undefined).length
}

test('a burst is taken in at once, and then as many as the rate allows', () => {
  const bucket = new Bucket(limitsOf({ requestsPerSecond: 10, burst: 20 }), 0)
  expect(taken(bucket, 100, 0)).toBe(20)
  expect(bucket.enter(50)).toEqual({ why: 'rate', waitS: 1 })
  expect(taken(bucket, 100, 100)).toBe(1)
  expect(taken(bucket, 100, 1100)).toBe(10)
  expect(taken(bucket, 100, 1_000_000)).toBe(20)
})

test('what is left and when the burst is whole again is told', () => {
  const bucket = new Bucket(limitsOf({ requestsPerSecond: 10, burst: 20 }), 0)
  expect([bucket.remaining, bucket.fullInS]).toEqual([20, 0])
  taken(bucket, 15, 0)
  expect([bucket.remaining, bucket.fullInS]).toEqual([5, 2])
})

test('a slow rate says how long to wait', () => {
  const bucket = new Bucket(limitsOf({ requestsPerSecond: 1, burst: 1 }), 0)
  expect(taken(bucket, 2, 0)).toBe(1)
  expect(bucket.enter(10)).toEqual({ why: 'rate', waitS: 1 })
})

test('as many are at work as the limit says, and one that leaves makes room', () => {
  const bucket = new Bucket(limitsOf({ requestsAtOnce: 2 }), 0)
  expect(taken(bucket, 5, 0)).toBe(2)
  expect(bucket.enter(0)).toEqual({ why: 'at-once' })
  bucket.leave()
  expect(taken(bucket, 5, 0)).toBe(1)
})

test('one that is refused because too many are at work costs nothing of the rate', () => {
  const bucket = new Bucket(limitsOf({ requestsPerSecond: 5, requestsAtOnce: 1 }), 0)
  expect(taken(bucket, 10, 0)).toBe(1)
  expect(bucket.remaining).toBe(4)
})

test('a clock that goes back gives nothing and takes nothing', () => {
  const bucket = new Bucket(limitsOf({ requestsPerSecond: 10, burst: 10 }), 1000)
  taken(bucket, 10, 1000)
  expect(taken(bucket, 10, 0)).toBe(0)
  expect(taken(bucket, 10, 100)).toBe(1)
})

test('other limits hold at once, and what was spent stays spent', () => {
  const bucket = new Bucket(limitsOf({ requestsPerSecond: 10, burst: 10 }), 0)
  taken(bucket, 8, 0)
  bucket.change(limitsOf({ requestsPerSecond: 10, burst: 100 }), 0)
  expect(bucket.remaining).toBe(92)
  bucket.change(limitsOf({ requestsPerSecond: 10, burst: 5 }), 0)
  expect(bucket.remaining).toBe(0)
})

test('a bucket is fresh again once it is full and nothing is at work', () => {
  const bucket = new Bucket(limitsOf({ requestsPerSecond: 10, burst: 10 }), 0)
  bucket.enter(0)
  expect(bucket.isFresh(1000)).toBe(false)
  bucket.leave()
  expect(bucket.isFresh(1000)).toBe(true)
})

test('limits of a caller stand in place of those of the configuration, each for itself', () => {
  const defaults = { callerRequestsPerSecond: 100, callerBurst: 300, callerRequestsAtOnce: 8 }
  expect(limitsOf({}, defaults)).toMatchObject({ requestsPerSecond: 100, burst: 300, requestsAtOnce: 8 })
  expect(limitsOf({ burst: 5 }, defaults)).toMatchObject({ requestsPerSecond: 100, burst: 5, requestsAtOnce: 8 })
  // The burst of the configuration belongs to its rate.
  expect(limitsOf({ requestsPerSecond: 7 }, defaults)).toMatchObject({ requestsPerSecond: 7, burst: 7 })
  expect(limitsOf({ requestsPerSecond: 0 }, defaults)).toMatchObject({ requestsPerSecond: 0, policy: '' })
  expect(effectiveLimits(defaults, { requestsPerSecond: 0, requestsAtOnce: 0 })).toBeUndefined()
  expect(effectiveLimits(none)).toBeUndefined()
  expect(limitsOf({ requestsPerSecond: 10, burst: 25 }).policy).toBe('"requests";q=25;w=3')
})
