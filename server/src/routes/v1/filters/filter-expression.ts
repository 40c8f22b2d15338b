// Translates `filterexp`, in Aerospike's filter language or as a packed expression, to a filter of the core.
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
  const parser = new Parser(bytes.toString())
  const filter = parser.expression(false, 0)
  if (!parser.done) throw invalid()
  return Buffer.from(filter)
}

/**
 * A packed expression is a list in MessagePack. No UTF-8 text begins like it: after 0xdc or 0xdd,
 * UTF-8 needs a byte from 0x80.
 */
function isList([first = 0, second = 0xff]: Buffer): boolean {
  return (first & 0xf0) === 0x90 || ((first === 0xdc || first === 0xdd) && second < 0x80)
}

const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()]|[^\s()]+/sy
const SPACE = /\s*/y
/** An operand of a form and its end. Quotes count only at its beginning. */
const QUOTED = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*([,)])/sy
const BARE = /([^,)]+)([,)])/y

class Parser {
  readonly #text: string
  readonly #tests = new TestCount()
  /** The next token and its position. */
  #at = 0
  #token: string | undefined

  constructor(text: string) {
    this.#text = text
    this.#go(0)
  }

  get done(): boolean {
    return this.#token === undefined
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
    if (this.#peek() === '(') return readForm(token, this.#operands(), negated)
    const operator = operatorOf(this.#next(), negated)
    const value = this.#next()
    if (value === '(' || value === ')') throw invalid()
    return compare(ofBin(token), operator, operand(value))
  }

  /** The text between the parentheses of a form, as written. */
  #operands(): string[] {
    const operands: string[] = []
    let at = this.#at + 1
    for (let end = ','; end === ',';) {
      at += this.#match(SPACE, at)?.[0].length ?? 0
      const match = this.#match(QUOTED, at) ?? this.#match(BARE, at)
      if (match === null) throw invalid()
      operands.push((match[1] ?? '').trimEnd())
      end = match[2] ?? ''
      at += match[0].length
    }
    this.#go(at)
    return operands
  }

  #peek(): string | undefined {
    return this.#token
  }

  #next(): string {
    const token = this.#token
    if (token === undefined) throw invalid()
    this.#go(this.#at + token.length)
    return token
  }

  #go(at: number): void {
    this.#at = at + (this.#match(SPACE, at)?.[0].length ?? 0)
    this.#token = this.#match(TOKEN, this.#at)?.[0]
  }

  #match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at
    return pattern.exec(this.#text)
  }
}
