import { type Exact, parseExact } from '../json'
import { damageOf } from '../key'

/** A row of a result. */
export interface ResultRow {
  index: number
  record: Exact
}

/** Rows that are held parsed; more than any view has. */
const HELD = 500

/** Wraps the columns of a row like the bins of a record; leaves the stand-in of a damaged record unchanged. */
export function recordOf(row: string, plain: boolean): Exact {
  const value = parseExact(row)
  return plain && damageOf(value) === undefined ? { bins: value } : value
}

/** Parses only the rows that are looked at, each once while it is in view. */
export class ParsedRows {
  readonly #held = new Map<number, { text: string; plain: boolean; row: ResultRow }>()

  at(text: string | undefined, index: number, plain: boolean): ResultRow | undefined {
    if (text === undefined) return undefined
    const held = this.#held.get(index)
    if (held?.text === text && held.plain === plain) return held.row
    const row = { index, record: recordOf(text, plain) }
    if (this.#held.size >= HELD) this.#held.clear()
    this.#held.set(index, { text, plain, row })
    return row
  }
}
