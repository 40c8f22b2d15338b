import {
  atMost,
  bytes,
  clock,
  compactCount,
  count,
  day,
  fixed,
  latency,
  latencyEdge,
  moment,
  quantileName,
  rate,
  share,
  shortCount,
} from '../../format'

/** Formats by name, because a function cannot be sent to a worker. Latencies are in nanoseconds. */
const formats = {
  bytes,
  clock: (value: number) => clock(value),
  count,
  latency,
  moment,
  percent: (value: number) => `${atMost(value, 1)}%`,
  plain: (value: number) => (value === 0 || value >= 10 ? shortCount(value) : fixed(value, 2)),
  /** of x = 1/(1−q) */
  quantile: quantileName,
  rate,
  seconds: (value: number) => `${Math.round(value)} s`,
  share,
  short: shortCount,
  times: (value: number) => `${atMost(value, 2)}×`,
} as const

export type FormatName = keyof typeof formats

export function textOf(format: FormatName, value: number): string {
  return formats[format](value)
}

/** The text of a round value at an axis. */
export function tickText(format: FormatName, value: number): string {
  if (format === 'latency') return value === 0 ? '0' : latencyEdge(Number(value.toPrecision(3)))
  if (format === 'count') return compactCount(value)
  if (format === 'clock') return clock(value, value % 60_000 !== 0)
  if (format === 'moment') return isMidnight(value) ? day(value) : clock(value, false)
  return textOf(format, value)
}

const isMidnight = (timeMs: number): boolean => new Date(timeMs).setHours(0, 0, 0, 0) === timeMs

/** The unit in which an axis has round numbers up to a highest value. */
export function unitOf(format: FormatName, most: number): number {
  // The power of 1024 that gives less than 1000.
  if (format === 'bytes') return 1024 ** Math.max(0, Math.floor(Math.log(most * 1.024) / Math.log(1024)))
  return 1
}
