import { parseSearchWith, stringifySearchWith } from '@tanstack/react-router'

/** The last moment that a `Date` can hold. */
const TIME_MOST_MS = 8.64e15

/** Reads a value of an address. What JavaScript would write as another number stays text, because it may be a key. */
function readValue(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (typeof value === 'number' && String(value) !== text) throw new SyntaxError(`${text} is no exact number`)
  return value
}

export const parseSearch = parseSearchWith(readValue)
export const stringifySearch = stringifySearchWith(JSON.stringify, readValue)

/**
 * How a page writes its state to its own address: without a new entry in the history, and without the router's scrolling
 * to the top, which would take a button away from under the pointer that presses it. The views of its charts stay.
 */
export const inPlace = { replace: true, resetScroll: false, hash: () => location.hash.slice(1) } as const

/** A set in the URL's search part; empty: records without a set; unset: none chosen. */
export function setOf(value: unknown): string | undefined {
  return value === '' ? '' : textOf(value)
}

/** A text in the URL's search part. A name that looks like a number ("17") arrives as a number. Empty: unset. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A moment in the URL's search part, in Unix milliseconds. */
export function timeOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= TIME_MOST_MS ? value : undefined
}

/** Reads JSON from the raw address, because the router parses unquoted JSON and rounds its numbers. */
export function jsonOf(name: string, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return textOf(value)
  return new URLSearchParams(location.search).get(name) ?? JSON.stringify(value)
}
