import { type Exact, isIntegerText, LosslessNumber, printExact } from '../json'
import { keyOf } from '../key'
import { binsOf } from './columns'
import { recordOf } from './parsed-rows'

/** What orders the rows. */
export type ValueOf = (record: Exact, index: number) => Exact | undefined

export interface Order {
  valueOf: ValueOf
  down: boolean
}

/** The places of the rows that have every word that is looked for, in an order; undefined: all, as they came. */
export function placesOf(
  rows: readonly string[],
  plain: boolean,
  asked: string,
  order: Order | undefined,
): readonly number[] | undefined {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0 && order === undefined) return undefined
  const found: { at: number; value: Exact | undefined }[] = []
  for (const [at, row] of rows.entries()) {
    if (!mayHave(row, words)) continue
    const record = recordOf(row, plain)
    if (words.length > 0 && !has(record, words)) continue
    found.push({ at, value: order?.valueOf(record, at) })
  }
  if (order !== undefined) {
    const sign = order.down ? -1 : 1
    // Rows without a value come last, either way.
    found.sort((a, b) =>
      a.value === undefined || b.value === undefined
        ? Number(a.value === undefined) - Number(b.value === undefined)
        : sign * compareExact(a.value, b.value),
    )
  }
  return found.map(({ at }) => at)
}

/** A quick look at the JSON: most rows need not be parsed. JSON may write a quote or a backslash in another way. */
function mayHave(row: string, words: readonly string[]): boolean {
  const text = row.toLowerCase()
  return words.every((word) => /["\\/]/.test(word) || text.includes(word))
}

/** Whether the key or a value has each word; names of bins do not count. */
function has(record: Exact, words: readonly string[]): boolean {
  const values = Object.values(binsOf(record)).map((value) => (typeof value === 'string' ? value : printExact(value)))
  const text = [keyOf(record)?.text ?? '', ...values].join('\n').toLowerCase()
  return words.every((word) => text.includes(word))
}

/** Values of one type by their value; types in a fixed order. */
export function compareExact(a: Exact, b: Exact): number {
  const kinds = kindOf(a) - kindOf(b)
  if (kinds !== 0) return kinds
  if (a instanceof LosslessNumber && b instanceof LosslessNumber) return compareNumbers(a.toString(), b.toString())
  if (typeof a === 'boolean') return Number(a) - Number(b)
  return compareTexts(typeof a === 'string' ? a : printExact(a), typeof b === 'string' ? b : printExact(b))
}

function kindOf(value: Exact): number {
  if (value === null) return 0
  if (typeof value === 'boolean') return 1
  if (value instanceof LosslessNumber) return 2
  return typeof value === 'string' ? 3 : 4
}

/** Integers exactly; JavaScript's numbers have no more than 53 bits. */
function compareNumbers(a: string, b: string): number {
  if (!isIntegerText(a) || !isIntegerText(b)) return Number(a) - Number(b)
  const [one, other] = [BigInt(a), BigInt(b)]
  return one < other ? -1 : Number(one > other)
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** The row at a place of what is shown. */
export interface Shown {
  count: number
  /** its place among all rows */
  placeOf: (index: number) => number
  indexOf: (place: number) => number
}

export function shownOf(rows: number, places: readonly number[] | undefined): Shown {
  if (places === undefined) return { count: rows, placeOf: (index) => index, indexOf: (place) => place }
  return {
    count: places.length,
    placeOf: (index) => places[index] ?? -1,
    indexOf: (place) => places.indexOf(place),
  }
}
