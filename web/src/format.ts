/** Formats numbers, sizes and times. Values are in base units: bytes, nanoseconds, milliseconds. */
const grouped = new Intl.NumberFormat('en-US')

export function count(value: number): string {
  return grouped.format(Math.round(value))
}

/** 312400000 -> "312.4 M". */
export function shortCount(value: number): string {
  const size = Math.abs(value)
  if (size < 10_000) return grouped.format(size < 10 && value % 1 !== 0 ? Number(value.toFixed(1)) : Math.round(value))
  if (size < 1e6) return `${digits(value / 1e3)} k`
  if (size < 1e9) return `${digits(value / 1e6)} M`
  return `${digits(value / 1e9)} G`
}

export function rate(value: number): string {
  return `${shortCount(value)}/s`
}

function digits(value: number): string {
  const size = Math.abs(value)
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}

export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let size = value
  let unit = 0
  while (Math.abs(size) >= 1024 && unit < units.length - 1) {
    size /= 1024
    unit++
  }
  return unit === 0 ? `${Math.round(size)} B` : `${digits(size)} ${units[unit] ?? ''}`
}

/** A latency in nanoseconds: "3.10 µs", "182 µs", "4.20 ms". */
export function latency(ns: number): string {
  if (ns < 1e3) return `${Math.round(ns)} ns`
  if (ns < 1e6) return `${digits(ns / 1e3)} µs`
  if (ns < 1e9) return `${digits(ns / 1e6)} ms`
  return `${digits(ns / 1e9)} s`
}

/** The quantile that one operation in so many exceeds: 1000 -> "p99.9". */
export function quantileName(oneIn: number): string {
  return `p${Number(((1 - 1 / oneIn) * 100).toFixed(Math.floor(Math.log10(oneIn) + 1e-9)))}`
}

/** An edge of an axis: "100 µs", "1 ms". */
export function latencyEdge(ns: number): string {
  if (ns < 1e3) return `${ns} ns`
  if (ns < 1e6) return `${ns / 1e3} µs`
  if (ns < 1e9) return `${ns / 1e6} ms`
  return `${ns / 1e9} s`
}

/** A share of one, with as many decimals as its distance from 100% needs: 0.9997 -> "99.97%". */
export function share(value: number): string {
  if (value >= 1) return '100%'
  const missing = 1 - value
  const decimals = missing >= 0.01 ? 1 : missing >= 0.001 ? 2 : 3
  // Rounding must not show 100% if something is missing.
  const text = value.toFixed(decimals + 2)
  return Number(text) >= 1
    ? `>${(100 - 10 ** -decimals).toFixed(decimals)}%`
    : `${(Number(text) * 100).toFixed(decimals)}%`
}

/** From this change on a value is told as so many times the other: nobody reads +16,200% as what it is. */
export const MANY = 10

export function change(value: number): string {
  if (value >= MANY) return `${shortCount(Math.round(value + 1))}×`
  const percent = value * 100
  if (Math.abs(percent) < 0.5) return '0%'
  return `${percent > 0 ? '+' : '−'}${Math.round(Math.abs(percent))}%`
}

/** 72 -> "1 min 12 s". */
export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.max(0, Math.round(seconds * 1000))} ms`
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  // Rounded first, so that no part is 60.
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  if (whole < 86_400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3600)} h`
}

export function ago(timeMs: number, nowMs: number = Date.now()): string {
  const seconds = Math.max(0, (nowMs - timeMs) / 1000)
  return seconds < 2 ? 'just now' : `${duration(Math.floor(seconds))} ago`
}

export function clock(timeMs: number, withSeconds = true): string {
  const time = new Date(timeMs)
  const two = (part: number): string => String(part).padStart(2, '0')
  const text = `${two(time.getHours())}:${two(time.getMinutes())}`
  return withSeconds ? `${text}:${two(time.getSeconds())}` : text
}

const dayFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })

/** A day in the language and the time zone of the reader: "26 Nov". */
export const day = (timeMs: number): string => dayFormat.format(timeMs)

/** A day and a time: "26 Nov 14:05". */
export const moment = (timeMs: number): string => `${day(timeMs)} ${clock(timeMs, false)}`

export function dateTime(timeMs: number): string {
  const time = new Date(timeMs)
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock(timeMs)}`
}

/** 1 and "entry" -> "1 entry", 2 -> "2 entries". A test keeps every count followed by its noun to this. */
export function plural(value: number, word: string, numberWords: (value: number) => string = count): string {
  const many = /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}${/(x|sh)$/.test(word) ? 'es' : 's'}`
  return `${numberWords(value)} ${value === 1 ? word : many}`
}
