import { LosslessNumber, parse, stringify } from 'lossless-json'
import { t } from '../language/text'

/** JSON that keeps numbers as text, so that 64-bit integers and long decimals survive a round trip. */
export type Exact = null | boolean | string | LosslessNumber | Exact[] | { [name: string]: Exact }

export function parseExact(text: string): Exact {
  return parse(text) as Exact
}

export function printExact(value: Exact, indent?: number): string {
  return stringify(value, undefined, indent) ?? 'null'
}

export function isExactObject(value: Exact | undefined): value is { [name: string]: Exact } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LosslessNumber)
}

/** Integers are digits only; anything with a point or an exponent is a double. */
export function isIntegerText(text: string): boolean {
  return /^-?(0|[1-9][0-9]*)$/.test(text)
}

/** Whether a text is an integer of 64 bits. */
export function fitsInt64(text: string): boolean {
  if (!/^-?[0-9]{1,20}$/.test(text)) return false
  const value = BigInt(text)
  return value >= -(2n ** 63n) && value < 2n ** 63n
}

export const INT64_WANTED = t('Enter a whole number from −2^63 to 2^63−1')

/** Text of a double that stays a double when read again. */
export function doubleText(text: string): string {
  const trimmed = text.trim()
  return /^-?[0-9]+$/.test(trimmed) ? `${trimmed}.0` : trimmed
}

export { LosslessNumber }
