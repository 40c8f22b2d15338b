// Totals of latency live as long as their namespaces.
import { expect, test } from 'vitest'
import { LatencyTotals } from '../../src/live/prometheus.js'
import { type LatencySeries, type MetricsFrame, sloEdgesNs } from '../../src/schemas/server/metrics.js'

/** A frame in which each namespace had one put. */
function frameOf(...namespaces: string[]): MetricsFrame {
  const latency = namespaces.map((namespace): LatencySeries => ({
    namespace,
    op: 'put',
    outcome: 'ok',
    side: 'engine',
    count: 1,
    sumNs: 1000,
    sumSquaresNs: 1_000_000,
    maxNs: 1000,
    overflow: 0,
    slo: sloEdgesNs.map(() => 1),
    buckets: [],
  }))
  return { latency } as unknown as MetricsFrame
}

/** Counts by namespace. */
const counts = (totals: LatencyTotals) =>
  Object.fromEntries(
    [...totals.text().matchAll(/_count\{namespace="(\w+)".*\} (\d+)/g)].map(([, name, count]) => [name, Number(count)]),
  )

test('the series of a dropped namespace are forgotten, and a new one of its name starts at 0', () => {
  const living = new Set(['a', 'b'])
  const totals = new LatencyTotals(() => [...living])
  totals.add(frameOf('a', 'b'))
  totals.add(frameOf('a', 'b'))
  expect(counts(totals)).toEqual({ a: 2, b: 2 })
  living.delete('a')
  expect(counts(totals)).toEqual({ b: 2 })
  living.add('a')
  expect(counts(totals)).toEqual({ b: 2 })
  totals.add(frameOf('a', 'b'))
  expect(counts(totals)).toEqual({ a: 1, b: 3 })
})

test('they are forgotten although nobody reads them', () => {
  const living = new Set(['a'])
  const totals = new LatencyTotals(() => [...living])
  totals.add(frameOf('a'))
  living.clear()
  living.add('b')
  totals.add(frameOf('b'))
  living.add('a')
  expect(counts(totals)).toEqual({ b: 1 })
})
