import type { Range } from './spec'

const SECOND = 1000
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR
const SHORT_STEPS = [1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800].map((seconds) => seconds * SECOND)
const HOURS = [1, 2, 3, 6, 12]
const DAYS = [1, 2, 5, 10, 15, 30]
const MOST_TIMES = 6

/** Whole steps of the clock, at most seven of them; hours and days are those of the reader's time zone. */
export function timeTicks({ from, to }: Range): number[] {
  const least = (to - from) / MOST_TIMES
  const short = SHORT_STEPS.find((one) => one >= least)
  if (short !== undefined) return stepsOf(from, to, short)
  const hours = HOURS.find((one) => one * HOUR >= least)
  const days = DAYS.find((one) => one * DAY >= least) ?? Math.ceil(least / DAY)
  return hours === undefined ? localTicks(from, to, days, 24) : localTicks(from, to, 1, hours)
}

/** Every so many hours of every so many days. A night in which clocks change is shorter or longer. */
function localTicks(from: number, to: number, days: number, hours: number): number[] {
  const ticks: number[] = []
  const day = new Date(from)
  for (day.setHours(0, 0, 0, 0); day.getTime() <= to; day.setDate(day.getDate() + 1)) {
    const number = Date.UTC(day.getFullYear(), day.getMonth(), day.getDate()) / DAY
    if (number % days !== 0) continue
    for (let hour = 0; hour < 24; hour += hours) {
      const tick = new Date(day).setHours(hour)
      if (tick >= from && tick <= to && tick > (ticks.at(-1) ?? -Infinity)) ticks.push(tick)
    }
  }
  return ticks
}

/** Round values, at most about `parts` + 1 of them, and not nearer to each other than `apart`. */
export function evenTicks({ from, to }: Range, parts: number, apart = 0): number[] {
  if (!(to > from)) return [from]
  const least = Math.max(apart, (to - from) / parts)
  const power = 10 ** Math.floor(Math.log10(least))
  const factor = [1, 2, 5].find((one) => least <= one * power * 1.000_001) ?? 10
  return stepsOf(from, to, factor * power)
}

function stepsOf(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step - 1e-9)
  const count = Math.floor(to / step + 1e-9) - first + 1
  return Array.from({ length: Math.max(0, count) }, (_, index) => (first + index) * step)
}

/** Powers of ten from `from` to `to`; if there are fewer than three, also twice and five times as much. */
export function logTicks({ from, to }: Range): number[] {
  const lowest = Math.floor(Math.log10(from))
  const powers = Array.from({ length: Math.ceil(Math.log10(to)) - lowest + 1 }, (_, index) => 10 ** (lowest + index))
  const inside = (values: number[]): number[] =>
    values.filter((value) => value >= from / 1.000_001 && value <= to * 1.000_001)
  const whole = inside(powers)
  return whole.length >= 3 ? whole : inside(powers.flatMap((power) => [power, 2 * power, 5 * power]))
}

/** Powers of two that are as far apart as it takes for at most six of them: round sizes in bytes. */
export function byteTicks({ from, to }: Range): number[] {
  const [low, high] = [Math.log2(from), Math.log2(to)]
  const apart = [1, 2, 5, 10].find((one) => (high - low) / one <= MOST_TIMES) ?? 20
  return stepsOf(low, high, apart).map((exponent) => 2 ** exponent)
}

/** `parts` equal steps from 0 to a top that is round in `unit` and at least `most`. */
export function topTicks(most: number, unit: number, parts: number): number[] {
  const top = axisTop(most, unit)
  return Array.from({ length: parts + 1 }, (_, index) => (top * index) / parts)
}

/** The top of an axis in two or four steps for a value, round in `unit`. */
export function axisTop(most: number, unit: number): number {
  const units = most / unit
  // It works on whole numbers, so small values are scaled up and back.
  const scale = units > 0 && units < 4 ? 10 ** Math.ceil(Math.log10(4 / units)) : 1
  return (roundTop(units * scale) / scale) * unit
}

/** Two times 1, 2, 3 or 5 times a power of ten, at least the value. */
export function roundTop(value: number): number {
  const half = Math.max(value / 2, 1)
  const power = 10 ** Math.floor(Math.log10(half))
  return 2 * power * ([1, 2, 3, 5].find((factor) => half <= factor * power) ?? 10)
}
