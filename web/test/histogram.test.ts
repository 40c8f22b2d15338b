import { describe, expect, test } from 'vitest'
import { BUCKETS, bucketLower, bucketOf, bucketUpper } from '../src/live/latency/buckets'
import { compactFrames } from '../src/live/compact'
import { deviation, enoughFor, mean, quantile, shareWithin } from '../src/live/latency/quantile'
import { addSeries, emptyTotals, mergeTotals, type Totals } from '../src/live/latency/totals'
import { frameOf, seriesOf } from './frames'

// The numbers on the Live page come from counts alone; these tests hold them against the durations themselves.

function totalsOf(...parts: number[][]): Totals {
  const totals = emptyTotals()
  for (const part of parts) addSeries(totals, seriesOf(part))
  return totals
}

describe('buckets', () => {
  test('cover 128 ns to 68.7 s without a hole', () => {
    expect(bucketLower(0)).toBe(128)
    expect(bucketUpper(BUCKETS - 1)).toBe(128 * 2 ** 29)
    for (let i = 1; i < BUCKETS; i++) expect(bucketUpper(i - 1)).toBe(bucketLower(i))
  })

  test('hold their own edges and are at most 6.25% wide', () => {
    for (let i = 0; i < BUCKETS; i++) {
      expect(bucketOf(bucketLower(i))).toBe(i)
      expect(bucketOf(bucketUpper(i) - 1e-3)).toBe(i)
      expect(bucketUpper(i) / bucketLower(i)).toBeLessThanOrEqual(1.0625)
    }
  })

  test('what is below or above falls into the first and the last', () => {
    expect(bucketOf(1)).toBe(0)
    expect(bucketOf(1e12)).toBe(BUCKETS - 1)
  })
})

describe('merging', () => {
  test('is adding counts: parts give the numbers of the whole', () => {
    const fast = Array.from({ length: 900 }, (_, i) => 2000 + i)
    const slow = Array.from({ length: 100 }, (_, i) => 3e6 + i * 1e4)
    expect(mergeTotals([totalsOf(fast), totalsOf(slow)])).toEqual(totalsOf(fast, slow))
  })

  test('frames of one column merge to the totals of all of them', () => {
    const a = seriesOf([1000, 2000, 5e6])
    const b = seriesOf([1000, 9000])
    const failed = seriesOf([2e6], { outcome: 'error' })
    const merged = compactFrames([frameOf(1000, [a]), frameOf(2000, [b, failed])])
    const together = emptyTotals()
    for (const series of merged.latency) addSeries(together, series)
    const apart = emptyTotals()
    for (const series of [a, b, failed]) addSeries(apart, series)
    expect(together).toEqual(apart)
    expect(merged.durationMs).toBe(2000)
  })

  test('errors are counted and leave the latency alone', () => {
    const totals = emptyTotals()
    addSeries(totals, seriesOf([1000]))
    addSeries(totals, seriesOf([9e9], { outcome: 'error' }))
    expect([totals.n, totals.errors, totals.maxNs]).toEqual([1, 1, 1000])
  })
})

describe('quantiles', () => {
  test('are within a bucket of the true order statistic', () => {
    const durations = Array.from({ length: 10_000 }, (_, i) => 500 * 1.001 ** i)
    const totals = totalsOf(durations)
    for (const q of [0.5, 0.9, 0.99, 0.999, 0.9999]) {
      const truth = durations[Math.ceil(q * durations.length) - 1] ?? 0
      expect(Math.abs((quantile(totals, q) ?? 0) / truth - 1)).toBeLessThan(0.0625)
    }
  })

  test('never exceed the largest value, and are absent without samples', () => {
    expect(quantile(totalsOf([1000]), 0.999)).toBe(1000)
    expect(quantile(emptyTotals(), 0.5)).toBeUndefined()
  })

  test('in the overflow give the largest value', () => {
    const totals = emptyTotals()
    addSeries(totals, { ...seriesOf([]), count: 1, overflow: 1, maxNs: 9e10 })
    expect(quantile(totals, 0.5)).toBe(9e10)
  })

  test('need 10/(1-q) samples to be trusted', () => {
    const of = (n: number): Totals => totalsOf(Array.from({ length: n }, () => 1000))
    expect(enoughFor(of(9_999), 0.999)).toBe(false)
    expect(enoughFor(of(10_000), 0.999)).toBe(true)
    expect(enoughFor(of(20), 0.5)).toBe(true)
  })
})

test('mean and deviation come from exact sums', () => {
  const totals = totalsOf([1000, 3000])
  expect(mean(totals)).toBe(2000)
  expect(deviation(totals)).toBe(1000)
})

test('the share within 1 ms is exact at the edge, inside a bucket', () => {
  const totals = totalsOf([999_999, 1_000_000, 1_000_001, 1_010_000])
  expect(bucketOf(999_999)).toBe(bucketOf(1_010_000))
  expect(shareWithin(totals, 1e6)).toBe(0.5)
})
