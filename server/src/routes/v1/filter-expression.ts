// `filterexp`: the filter language of the other server, or a packed expression of its clients, as a filter of the core.
import { operand, operatorOf, readForm } from './filter-forms.js'
import { compare, DEPTH_MAX, invalid, join, ofBin, TestCount } from './filter-tests.js'
import { readPackedExpression } from './packed-expression.js'

/** Longest filter, as in the core. */
const BYTES_MAX = 64 * 1024

/**
 * The core's filter as JSON.
 *
 * @throws GatewayError `filter_invalid`, `unsupported`
 */
export function readFilterExpression(base64: string): Buffer {
  if (!/^[A-Za-z0-9_-]+={0,2}$/.test(base64)) throw invalid()
  const bytes = Buffer.from(base64, 'base64url')
  if (bytes.length > BYTES_MAX) throw invalid()
  if (isList(bytes)) return Buffer.from(readPackedExpression(bytes))
  const tokens = bytes.toString().match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()]|[^\s()]+/g) ?? []
  const parser = new Parser(tokens)
  const filter = parser.expression(false, 0)
  if (!parser.done) throw invalid()
  return Buffer.from(filter)
}

/** A packed expression is a list in MessagePack, which no text in UTF-8 begins with: its length would go on with a bit set. */
function isList([first = 0, second = 0xff]: Buffer): boolean {
  return (first & 0xf0) === 0x90 || ((first === 0xdc || first === 0xdd) && second < 0x80)
}

class Parser {
  readonly #tokens: readonly string[]
  readonly #tests = new TestCount()
  #at = 0

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  get done(): boolean {
    return this.#at === this.#tokens.length
  }

  /** Terms joined by one operator. */
  expression(negated: boolean, depth: number): string {
    const parts = [this.#term(negated, depth)]
    let joined: string | undefined
    while (!this.done && this.#peek() !== ')') {
      const operator = this.#next().toLowerCase()
      joined ??= operator
      if ((operator !== 'and' && operator !== 'or') || operator !== joined) throw invalid()
      parts.push(this.#term(negated, depth))
    }
    if (joined === undefined) return parts.join('')
    return join((joined === 'and') === negated ? 'or' : 'and', parts)
  }

  #term(negated: boolean, depth: number): string {
    if (depth > DEPTH_MAX) throw invalid()
    const token = this.#next()
    if (token.toLowerCase() === 'not') return this.#term(!negated, depth + 1)
    if (token === '(') {
      const inside = this.expression(negated, depth + 1)
      if (this.#next() !== ')') throw invalid()
      return inside
    }
    if (token === ')') throw invalid()
    this.#tests.add()
    if (this.#peek() === '(') return readForm(token, this.#inside(), negated)
    const operator = operatorOf(this.#next(), negated)
    const value = this.#next()
    if (value === '(' || value === ')') throw invalid()
    return compare(ofBin(token), operator, operand(value))
  }

  /** What is between the parentheses of a form. */
  #inside(): string {
    this.#next()
    const start = this.#at
    while (this.#next() !== ')');
    return this.#tokens.slice(start, this.#at - 1).join(' ')
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at]
  }

  #next(): string {
    const token = this.#peek()
    if (token === undefined) throw invalid()
    this.#at += 1
    return token
  }
}
