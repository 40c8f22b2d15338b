import { expect, test } from 'vitest'
import { distinctOf, sharingOf } from '../../src/profile/distinct.js'

// How many different values a set has, as a sample of it tells.

const sampleOf = (values: number, times = 1) => ({
  seen: values * times,
  of: Array.from({ length: values }, () => times),
  whole: true,
})

test('a sample of all records is exact', () => {
  expect(distinctOf(sampleOf(40, 2), 80)).toEqual({ about: 40, from: 40, to: 40 })
})

test('values that never come twice are taken for as many as such a sample shows', () => {
  expect(distinctOf(sampleOf(1000), 5000)).toEqual({ about: 5000, from: 1000, to: 5000 })
  // A million could have a third as many and still give no pair.
  const { about } = distinctOf(sampleOf(1000), 1_000_000)
  expect(about).toBe(166_667)
})

test('values that come several times stand for themselves, those that came once for more', () => {
  expect(distinctOf(sampleOf(3, 300), 90_000)).toEqual({ about: 3, from: 3, to: 3 })
  const mixed = { seen: 1000, of: [...sampleOf(100).of, 900], whole: true }
  expect(distinctOf(mixed, 100_000)).toEqual({ about: 1001, from: 101, to: 10_001 })
})

test('a sample without a value says nothing', () => {
  expect(distinctOf({ seen: 0, of: [], whole: true }, 10)).toEqual({ about: 0, from: 0, to: 0 })
})

test('values of lists come more often than there are records', () => {
  const { about, from, to } = sharingOf({ seen: 900, of: [600, 300], whole: true }, 100, 5000)
  expect([about, from, to].every(Number.isInteger)).toBe(true)
  expect(to).toBe(5000)
})
