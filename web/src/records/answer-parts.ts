import { type Exact, parseExact } from './json'

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/** Depth at which the records of an answer begin: in the list of the object. */
const RECORD = 3

/**
 * Takes an answer `{"records":[..],"jobId":..,"summary":{..}}` apart while it comes, so that records are there before the
 * last of them is found.
 */
export class AnswerParts {
  /** what is not given out yet */
  #text = ''
  #at = 0
  #begin = 0
  #depth = 0
  #quoted = false
  #escaped = false
  /** whether the list of records has ended */
  #ended = false

  /** The records that this piece completes, as JSON text. */
  push(piece: string): string[] {
    this.#text += piece
    const records: string[] = []
    for (; !this.#ended && this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at)
      if (this.#quoted) {
        if (this.#escaped) this.#escaped = false
        else if (code === BACKSLASH) this.#escaped = true
        else if (code === QUOTE) this.#quoted = false
      } else if (code === QUOTE) this.#quoted = true
      else if (code === OPEN_MAP || code === OPEN_LIST) {
        this.#depth++
        if (this.#depth === RECORD) this.#begin = this.#at
      } else if (code === CLOSE_MAP || code === CLOSE_LIST) {
        this.#depth--
        if (this.#depth === RECORD - 1) records.push(this.#text.slice(this.#begin, this.#at + 1))
        else if (this.#depth === RECORD - 2) this.#ended = true
      }
    }
    const given = this.#depth >= RECORD ? this.#begin : this.#at
    this.#text = this.#text.slice(given)
    this.#at -= given
    this.#begin = 0
    return records
  }

  /** The members after the records, once the answer is whole. Throws if it was cut off. */
  end(): Exact {
    return parseExact(`{${this.#text.replace(/^,/, '')}`)
  }
}
