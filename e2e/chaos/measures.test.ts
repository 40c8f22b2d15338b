import { expect, test } from 'vitest'
import { Random } from '../gateway/random.ts'
import { grows, type Sample, trend } from './measures.ts'

/** Samples of processes that begin at levels of their own. */
const samples = (perHour: number, noise: number): Sample[] => {
  const random = new Random(1)
  return [100, 250, 180].flatMap((level, process) =>
    Array.from({ length: 300 }, (_, n) => {
      const stray = (random.below(2001) / 1000 - 1) * noise
      return { process, at: n * 2, residentMib: level + (perHour / 3600) * n * 2 + stray, files: 40 }
    }),
  )
}
const resident = ({ residentMib }: Sample): number => residentMib

test('a slope that all processes share is found, whatever their levels', () => {
  const found = trend(samples(60, 2), resident, 100)
  expect(found.processes).toBe(3)
  expect(Math.abs(found.perHour - 60)).toBeLessThan(found.within)
  expect(grows(found)).toBe(true)
})

test('noise is no growth, and neither is what never changes', () => {
  expect(grows(trend(samples(0, 5), resident, 100))).toBe(false)
  expect(grows(trend(samples(0, 0), ({ files }) => files, 100))).toBe(false)
})

test('what comes before the end of the warm-up does not count', () => {
  const rising = samples(0, 1).map((one) => (one.at < 100 ? { ...one, residentMib: one.at } : one))
  expect(grows(trend(rising, resident, 100))).toBe(false)
})
