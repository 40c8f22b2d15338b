// Whether a rate is steady is decided by all of its runs together.
import { expect, test } from 'vitest'
import { isSteady, pooled, strainOf } from '../../src/lab/measure/pool.js'
import { poolAt } from './rates.js'

test.each([
  ['shares just reached', true, poolAt(1000, { reads: 97, writes: 99.5 })],
  ['too many late reads', false, poolAt(1000, { reads: 96.9 })],
  ['too many late writes', false, poolAt(1000, { writes: 99.4 })],
  ['a stall that the other runs outweigh', true, poolAt(1000, { reads: 93 }, { reads: 99 }, { reads: 99.5 })],
  ['a lucky run that does not', false, poolAt(1000, { reads: 93 }, { reads: 99 })],
  ['a longer run that does', true, poolAt(1000, { reads: 93 }, { seconds: 2, reads: 99 })],
  ['less than what was due', false, poolAt(1000, { done: 0.98 })],
  ['an error', false, poolAt(1000, {}, { errors: { device_overload: 1 } })],
  ['nothing run yet', false, poolAt(1000)],
])('%s: steady is %s', (_, steady, pool) => {
  expect(isSteady(pool)).toBe(steady)
})

test('strain is the worst part of what may go wrong', () => {
  expect(strainOf(poolAt(1000, { reads: 98.5, writes: 99 }))).toBeCloseTo(2)
  expect(strainOf(poolAt(1000, { reads: 91, writes: 99.9 }))).toBeCloseTo(3)
  expect(strainOf(poolAt(1000, { done: 0.96 }))).toBeCloseTo(4)
})

test('figures are those of all runs as if they were one', () => {
  const all = pooled(poolAt(1000, { reads: 94 }, { seconds: 3, reads: 98 }))
  expect(all).toMatchObject({ seconds: 4, tps: 1000, write: { under1msPct: 100 }, cpuMicrosPerOperation: 10 })
  expect(all.read.under1msPct).toBeCloseTo(97)
  expect(all.read.stdDevMs).toBeCloseTo(0.1)
  expect(all.device.latencyMs).toBeCloseTo(0.1)
  expect(all.device.readMBps).toBeCloseTo(2 / 4.02)
})
