import { dateLocale, language } from './language/chosen'
import { t } from './language/text'

// Formats numbers, sizes and times for the reader. Values are in base units: bytes, nanoseconds, milliseconds.

/** A format of numbers, made when it is needed: to make all takes a slow processor 0.1 s. */
function numbers(options: Intl.NumberFormatOptions = {}): (value: number | bigint) => string {
  let made: Intl.NumberFormat | undefined
  return (value) => (made ??= new Intl.NumberFormat(language.locale, options)).format(value)
}

const grouped = numbers()

const withDecimals = Array.from({ length: 7 }, (_, decimals) =>
  numbers({ minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: false }),
)

/** A number with so many decimals, up to 6: 12.5 and 2 -> "12.50". */
export const fixed = (value: number, decimals: number): string =>
  withDecimals[decimals]?.(value) ?? value.toFixed(decimals)

/** An integer of any size, exact. */
export const wholeCount = (value: bigint): string => grouped(value)

const trimmed = Array.from({ length: 7 }, (_, decimals) =>
  numbers({ maximumFractionDigits: decimals, useGrouping: false }),
)

/** A number with at most so many decimals, up to 6, and no zeros at its end: 12.5 and 2 -> "12.5". */
export const atMost = (value: number, decimals: number): string => trimmed[decimals]?.(value) ?? String(value)

const significant = numbers({ maximumSignificantDigits: 6 })

/** A number with six digits; from a million on without decimals. */
export const sixDigits = (value: number): string =>
  Math.abs(value) >= 1e6 ? grouped(Math.round(value)) : significant(value)

const few = numbers({ maximumSignificantDigits: 2, useGrouping: false })

/** A ratio with the two digits that say something: 0.0123 -> "0.012". */
export const twoDigits = (value: number): string => few(value)

const compact = numbers({ notation: 'compact' })

/** A round number at an axis: 12000 -> "12K". */
export const compactCount = (value: number): string => compact(value)

/** A multiple: 1.5 -> "1.50×"; undefined: there is none. */
export const times = (value: number | undefined): string => (value === undefined ? '–' : `${fixed(value, 2)}×`)

export function count(value: number): string {
  return grouped(Math.round(value))
}

/** 312400000 -> "312.4 M". */
export function shortCount(value: number): string {
  const size = Math.abs(value)
  if (size < 10_000) return grouped(size < 10 && value % 1 !== 0 ? Math.round(value * 10) / 10 : Math.round(value))
  if (size < 1e6) return `${digits(value / 1e3)} k`
  if (size < 1e9) return `${digits(value / 1e6)} M`
  return `${digits(value / 1e9)} G`
}

export function rate(value: number): string {
  return `${shortCount(value)}/s`
}

function digits(value: number): string {
  const size = Math.abs(value)
  return fixed(value, size >= 100 ? 0 : size >= 10 ? 1 : 2)
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
  if (ns < 1e3) return `${grouped(ns)} ns`
  if (ns < 1e6) return `${grouped(ns / 1e3)} µs`
  if (ns < 1e9) return `${grouped(ns / 1e6)} ms`
  return `${grouped(ns / 1e9)} s`
}

/** A share of one, with as many decimals as its distance from 100% needs: 0.9997 -> "99.97%". */
export function share(value: number): string {
  if (value >= 1) return '100%'
  const missing = 1 - value
  const decimals = missing >= 0.01 ? 1 : missing >= 0.001 ? 2 : 3
  // Rounding must not show 100% if something is missing.
  const text = value.toFixed(decimals + 2)
  return Number(text) >= 1 ? `>${fixed(100 - 10 ** -decimals, decimals)}%` : `${fixed(Number(text) * 100, decimals)}%`
}

/** From this change on a value is told as so many times the other: nobody reads +16,200% as what it is. */
export const MANY = 10

export function change(value: number): string {
  if (value >= MANY) return `${shortCount(Math.round(value + 1))}×`
  const percent = value * 100
  if (Math.abs(percent) < 0.5) return '0%'
  return `${percent > 0 ? '+' : '−'}${Math.round(Math.abs(percent))}%`
}

/** 72 -> "1 min 12 s", 600 -> "10 min 0 s", 5 -> "5.0 s"; `whole`: "10 min", "5 s". */
export function duration(seconds: number, { whole = false } = {}): string {
  if (seconds < 1) return `${Math.max(0, Math.round(seconds * 1000))} ms`
  if (seconds < 10) return t('{s} s', { s: whole ? atMost(seconds, 1) : fixed(seconds, 1) })
  // Rounded first, so that no part is 60.
  const rounded = Math.round(seconds)
  if (rounded < 60) return t('{s} s', { s: rounded })
  if (whole && rounded < 3600 && rounded % 60 === 0) return t('{min} min', { min: rounded / 60 })
  if (rounded < 3600) return t('{min} min {s} s', { min: Math.floor(rounded / 60), s: rounded % 60 })
  if (rounded < 86_400)
    return t('{h} h {min} min', { h: Math.floor(rounded / 3600), min: Math.floor((rounded % 3600) / 60) })
  return t('{d} d {h} h', { d: Math.floor(rounded / 86_400), h: Math.floor((rounded % 86_400) / 3600) })
}

export function ago(timeMs: number, nowMs: number = Date.now()): string {
  const seconds = Math.max(0, (nowMs - timeMs) / 1000)
  return seconds < 2 ? t('just now') : t('{time} ago', { time: duration(Math.floor(seconds), { whole: true }) })
}

export function clock(timeMs: number, withSeconds = true): string {
  const time = new Date(timeMs)
  const two = (part: number): string => String(part).padStart(2, '0')
  const text = `${two(time.getHours())}:${two(time.getMinutes())}`
  return withSeconds ? `${text}:${two(time.getSeconds())}` : text
}

let dayFormat: Intl.DateTimeFormat | undefined

/** A day in the language and the time zone of the reader: "26 Nov". */
export const day = (timeMs: number): string =>
  (dayFormat ??= new Intl.DateTimeFormat(dateLocale, { day: 'numeric', month: 'short' })).format(timeMs)

/** A day and a time: "26 Nov 14:05". */
export const moment = (timeMs: number): string => `${day(timeMs)} ${clock(timeMs, false)}`

export function dateTime(timeMs: number): string {
  const time = new Date(timeMs)
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock(timeMs)}`
}
