import { describe, expect, test } from 'vitest'
import type { Namespace } from '../src/api/types'
import { idleOf, gapsOf } from '../src/charts/spec/scale'
import {
  firstSpan,
  fullWords,
  growthSpec,
  isSpan,
  roomOf,
  type Size,
  sizesOf,
  trendOf,
} from '../src/pages/namespaces/growth/growth'

const DAY_MS = 86_400_000
const GIB = 1024 ** 3
const SPAN = 'the last 24 hours'

const at = (seconds: number): string => new Date(seconds * 1000).toISOString()
const size = (bytes: number, namespace = 'shop') => ({ namespace, records: bytes / 10, bytes })

/** Sizes of ten days that grow by this much a day. */
const growing = (perDay: number, noise: (day: number) => number = () => 0): Size[] =>
  Array.from({ length: 10 }, (_, day) => ({
    atMs: day * DAY_MS,
    records: 1,
    bytes: 5 * GIB + perDay * day + noise(day),
  }))

describe('the sizes of a namespace', () => {
  const history = {
    from: at(100),
    to: at(150),
    stepSeconds: 10,
    items: [
      { time: at(110), sizes: [size(100), size(7, 'logs')] },
      { time: at(120.002), sizes: [size(200)] },
      { time: at(140), sizes: [] },
      { time: at(150), sizes: [size(500)] },
    ],
  }

  test('have one place for each step, and no size where no frame has one', () => {
    const sizes = sizesOf(history, 'shop')
    expect(sizes.map(({ atMs, bytes }) => [atMs / 1000, bytes])).toEqual([
      [100, 100],
      [110, null],
      [120, 200],
      [130, null],
      [140, 500],
    ])
    const open = { ...history, items: [...history.items, { time: at(151), sizes: [size(600)] }] }
    expect(sizesOf(open, 'shop').at(-1)).toMatchObject({ bytes: 600 })
    const spec = growthSpec(sizes, undefined, '1h')
    expect([gapsOf(spec).length, idleOf(spec).length]).toEqual([2, 0])
    expect(sizesOf(history, 'nobody').every(({ bytes }) => bytes === null)).toBe(true)
  })
})

test('a young namespace is shown over an hour first, and no range is too short', () => {
  expect([firstSpan(at(0), 3_600_000), firstSpan(at(0), 30 * 3_600_000)]).toEqual(['1h', '24h'])
  expect([undefined, '5m', '1h', '6h', '30d'].filter(isSpan)).toEqual(['1h', '6h', '30d'])
})

describe('growth', () => {
  const room = { bytes: 30 * GIB, until: 'writes' as const, inPages: false }

  test('is the line of least squares', () => {
    const trend = trendOf(growing(GIB))
    expect(trend?.perDay).toBeCloseTo(GIB, 0)
    expect(trend?.fit).toBeCloseTo(1, 9)
    expect(trend?.at(20 * DAY_MS)).toBeCloseTo(25 * GIB, 0)
    expect(trendOf(growing(GIB).slice(0, 4))).toBeUndefined()
    expect(trendOf(growing(0))).toMatchObject({ perDay: 0, fit: 1 })
  })

  test('says when the namespace is full', () => {
    const words = (perDay: number, left: typeof room | undefined = room): string =>
      fullWords(trendOf(growing(perDay)), left, SPAN)
    expect(words(3 * GIB)).toBe('At the pace of the last 24 hours, it takes about 10 days until writes stop.')
    expect(words(60 * GIB)).toBe('At the pace of the last 24 hours, it takes about 12 h 0 min until writes stop.')
    expect(words(1000)).toContain('more than 10 years')
    expect(words(3 * GIB, { ...room, inPages: true })).toMatch(/about 10 days until writes stop\. This is approximate/)
    expect(words(GIB, { ...room, bytes: 0 })).toBe('It is full: writes stop.')
  })

  test('does not tell what nobody can tell', () => {
    expect(fullWords(undefined, room, SPAN)).toContain('not enough data')
    expect(fullWords(trendOf(growing(0)), room, SPAN)).toBe('It did not grow in the last 24 hours.')
    expect(fullWords(trendOf(growing(-GIB)), room, SPAN)).toBe('It did not grow in the last 24 hours.')
    const jumps = trendOf(growing(GIB / 10, (day) => (day % 2) * 4 * GIB))
    expect(jumps?.fit).toBeLessThan(0.8)
    expect(fullWords(jumps, room, SPAN)).toContain('did not grow evenly')
    expect(fullWords(trendOf(growing(GIB)), undefined, SPAN)).toBe('It has no limit.')
  })
})

describe('the room of a namespace', () => {
  const of = (
    engine: 'memory' | 'device' | 'paged',
    limits: Partial<NonNullable<Namespace['limits']>>,
    stopWritesPercent = 90,
  ) =>
    ({
      config: { name: 'shop', storage: { engine }, stopWritesPercent },
      limits: { usedBytes: 40, writesStopped: false, evictedRecords: 0, expiredRecords: 0, ...limits },
    }) as const
  const disk = { diskFreeBytes: 7000 }

  test('ends where writes stop, where shared memory is full, or with the disk', () => {
    expect(roomOf(of('device', { capacityBytes: 200 }), disk)).toEqual({
      bytes: 140,
      until: 'writes',
      inPages: false,
    })
    expect(roomOf(of('device', { capacityBytes: 40 }), disk)?.bytes).toBe(0)
    expect(roomOf(of('memory', { sharedLimitBytes: 100, sharedUsedBytes: 60 }), disk)?.bytes).toBe(40)
    expect(roomOf(of('device', {}), disk)).toEqual({ bytes: 7000, until: 'disk', inPages: false })
    expect(roomOf(of('paged', { capacityBytes: 200 }), disk)).toEqual({
      bytes: 140,
      until: 'writes',
      inPages: true,
    })
    expect([roomOf(of('memory', {}), disk), roomOf({ config: of('device', {}).config }, disk)]).toEqual([
      undefined,
      undefined,
    ])
  })
})
