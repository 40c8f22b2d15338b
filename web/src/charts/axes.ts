import { clock, latencyEdge } from '../format'
import type { TimeRange } from './geometry'

/** A label of an axis; `at` is its place, 0 to 1, from the left or from the bottom of the plot. */
export interface Tick {
  at: number
  text: string
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const TIME_STEPS = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].map((seconds) => seconds * SECOND)
const MOST_TIMES = 6

/** Whole steps of the clock, at most six of them. */
export function timeTicks({ from, to }: TimeRange): Tick[] {
  const step = TIME_STEPS.find((one) => (to - from) / one <= MOST_TIMES) ?? TIME_STEPS.at(-1)!
  const ticks: Tick[] = []
  for (let time = Math.ceil(from / step) * step; time <= to; time += step)
    ticks.push({ at: (time - from) / (to - from), text: clock(time, time % MINUTE !== 0) })
  return ticks
}

/** Place of a latency on a logarithmic axis, 0 to 1. */
export function latencyPlace(ns: number, minNs: number, maxNs: number): number {
  return Math.log(Math.max(minNs, Math.min(maxNs, ns)) / minNs) / Math.log(maxNs / minNs)
}

/** The decades of a latency axis. */
export function latencyTicks(minNs: number, maxNs: number): Tick[] {
  const ticks: Tick[] = []
  for (let ns = minNs; ns <= maxNs * 1.001; ns *= 10)
    ticks.push({ at: latencyPlace(ns, minNs, maxNs), text: latencyEdge(ns) })
  return ticks
}

/** Position of a value on a logarithmic axis, 0 to 1; outside of it for other values. */
export function logPlace(value: number, min: number, max: number): number {
  return Math.log(value / min) / Math.log(max / min)
}

/** Powers of ten from `min` to `max`; if there are fewer than three, also twice and five times as much. */
export function logTicks(min: number, max: number, text: (value: number) => string): Tick[] {
  const from = Math.floor(Math.log10(min))
  const powers = Array.from({ length: Math.ceil(Math.log10(max)) - from + 1 }, (_, index) => 10 ** (from + index))
  const inside = (values: number[]): number[] => values.filter((value) => value >= min && value <= max)
  const whole = inside(powers)
  const values = whole.length >= 3 ? whole : inside(powers.flatMap((power) => [power, 2 * power, 5 * power]))
  return values.map((value) => ({ at: logPlace(value, min, max), text: text(value) }))
}

/** `parts` equal steps from `min` to `max`. */
export function evenTicks(min: number, max: number, parts: number, text: (value: number) => string): Tick[] {
  return Array.from({ length: parts + 1 }, (_, index) => ({
    at: index / parts,
    text: text(min + ((max - min) * index) / parts),
  }))
}

/** The unit for bytes up to `most`: the power of 1024 that gives less than 1000. */
export function byteUnit(most: number): number {
  return 1024 ** Math.max(0, Math.floor(Math.log(most * 1.024) / Math.log(1024)))
}

/** The top of a two-step axis for a value, round in `unit`. */
export function axisTop(most: number, unit: number): number {
  const units = most / unit
  // It works on whole numbers, so small values are scaled up and back.
  const scale = units > 0 && units < 4 ? 10 ** Math.ceil(Math.log10(4 / units)) : 1
  return (roundTop(units * scale) / scale) * unit
}

/** The top of a two-step axis: two times 1, 2, 3 or 5 times a power of ten, at least the value. */
export function roundTop(value: number): number {
  const half = Math.max(value / 2, 1)
  const power = 10 ** Math.floor(Math.log10(half))
  return 2 * power * ([1, 2, 3, 5].find((factor) => half <= factor * power) ?? 10)
}
