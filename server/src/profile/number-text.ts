// Numbers of records without loss: an integer beyond 2^53 is a bigint, which compares exactly with doubles.

export type Exact = number | bigint

/** Digits that a double keeps of any integer. */
const SAFE_DIGITS = 15

export function numberOf(text: string, kind: 'integer' | 'double'): Exact {
  return kind === 'integer' && text.length > SAFE_DIGITS ? BigInt(text) : Number(text)
}

/** The same for equal numbers, integers and doubles alike. */
export function canonical(value: Exact): string {
  if (typeof value === 'bigint') return value.toString()
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value).toString() : String(value)
}
