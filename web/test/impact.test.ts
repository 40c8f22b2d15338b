import { expect, test } from 'vitest'
import type { Column } from '../src/live/buffer'
import { bucketOf } from '../src/live/latency/buckets'
import { emptyTotals } from '../src/live/latency/totals'
import { impactOf } from '../src/pages/indexes/impact'

/** A second with so many operations, all of about so many nanoseconds. */
function second(start: number, n: number, ns: number): Column {
  const totals = emptyTotals()
  totals.n = n
  totals.maxNs = ns
  totals.first = totals.last = bucketOf(ns)
  totals.buckets[totals.first] = n
  return { start, durationMs: 1000, totals }
}

test('a build is compared with what was before it, by counts', () => {
  const columns = [
    second(0, 2000, 10_000),
    second(1000, 2000, 10_000),
    second(2000, 3000, 20_000),
    second(3000, 9, 1e9),
  ]
  const [p50, p99] = impactOf('get', columns, 2400, 3000)
  expect([p50?.name, p99?.name]).toEqual(['get p50', 'get p99'])
  expect(p50?.change).toBeGreaterThan(0.8)
  expect(p50?.change).toBeLessThan(1.2)
  expect([p50?.thin, p99?.thin]).toEqual([false, false])
})

test('few operations say little, and none nothing', () => {
  const [, thin] = impactOf('put', [second(0, 2000, 10_000), second(1000, 30, 10_000)], 1000, 2000)
  expect(thin).toMatchObject({ thin: true })
  const gap: Column = { start: 0, durationMs: 0, totals: undefined }
  expect(impactOf('put', [gap, second(1000, 5, 100)], 1000, 2000)[0]).toMatchObject({
    before: undefined,
    change: undefined,
    thin: true,
  })
})
