// JSON with exact integers of 64 bits.
import { LosslessNumber, parse, stringify } from 'lossless-json'

/** Numbers of fewer digits are exact in JavaScript. */
const MAY_LOSE = /\d{16}/

/** Parses JSON. An integer that a number cannot hold exactly becomes a bigint. */
export function parseJson(text: string): unknown {
  return MAY_LOSE.test(text) ? parse(text, undefined, exactNumber) : (JSON.parse(text) as unknown)
}

function exactNumber(text: string): number | bigint {
  const value = Number(text)
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(text) ? value : BigInt(text)
}

/** Prints JSON. It takes a bigint as an integer, and what `double` returns as a double. */
export function printJson(value: unknown): string {
  return stringify(value) ?? 'null'
}

/**
 * A number that is stored as a double even if it is whole: `double(1)` is sent as `1.0`.
 *
 * @throws RangeError for NaN and the infinities, which JSON does not have
 */
export function double(value: number): LosslessNumber {
  if (!Number.isFinite(value)) throw new RangeError(`a double must be finite, got ${value}`)
  const text = Object.is(value, -0) ? '-0' : String(value)
  return new LosslessNumber(/[.e]/.test(text) ? text : `${text}.0`)
}
