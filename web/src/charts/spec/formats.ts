import { bytes, clock, count, dateTime, latency, latencyEdge, rate, share, shortCount } from '../../format'

/** Formats by name, because a function cannot be sent to a worker. Latencies are in nanoseconds. */
const formats = {
  bytes,
  clock: (value: number) => clock(value),
  count,
  /** a time of a span of days */
  day: (value: number) => dateTime(value),
  latency,
  percent: (value: number) => `${Math.round(value * 10) / 10}%`,
  plain: (value: number) => (value === 0 || value >= 10 ? shortCount(value) : value.toFixed(2)),
  rate,
  seconds: (value: number) => `${Math.round(value)} s`,
  share,
  short: shortCount,
  times: (value: number) => `${Number(value.toFixed(2))}×`,
} as const

export type FormatName = keyof typeof formats

export function textOf(format: FormatName, value: number): string {
  return formats[format](value)
}

const DAY_MS = 86_400_000
const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const compact = new Intl.NumberFormat('en-US', { notation: 'compact' })

/** The text of a round value at an axis. */
export function tickText(format: FormatName, value: number): string {
  if (format === 'latency') return value === 0 ? '0' : latencyEdge(Number(value.toPrecision(3)))
  if (format === 'count') return compact.format(value)
  if (format === 'clock') return clock(value, value % 60_000 !== 0)
  if (format === 'day') return value % DAY_MS === 0 ? days.format(value) : clock(value, false)
  return textOf(format, value)
}

/** The unit in which an axis has round numbers up to a highest value. */
export function unitOf(format: FormatName, most: number): number {
  // The power of 1024 that gives less than 1000.
  if (format === 'bytes') return 1024 ** Math.max(0, Math.floor(Math.log(most * 1.024) / Math.log(1024)))
  return 1
}
