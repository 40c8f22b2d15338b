// The filter language of the other server (`filterexp`), as filters of the core.
//
// There, a comparison of a bin that is missing or of another type is unknown, and an unknown filter passes nothing. Here it is
// written so that only comparisons that hold pass: `not` goes down to the comparisons, and `!=` is less or greater.
import { GatewayError } from '../../errors.js'

/** Deepest nesting of parentheses and `not`. */
const DEPTH_MAX = 12

const FORMS = [
  'LAST_UPDATE',
  'VOID_TIME',
  'DIGEST_MODULO',
  'STRING_REGEX',
  'LIST_ITERATE_OR',
  'LIST_ITERATE_AND',
  'MAPKEY_ITERATE_OR',
  'MAPKEY_ITERATE_AND',
  'MAPVAL_ITERATE_OR',
  'MAPVAL_ITERATE_AND',
]

const opposites = { '==': '!=', '!=': '==', '<': '>=', '>=': '<', '>': '<=', '<=': '>' } as const
type Operator = keyof typeof opposites

const invalid = () => new GatewayError('filter_invalid', 'Invalid Filter Expression', { field: 'filterexp' })
const unsupported = (what: string) =>
  new GatewayError('unsupported', `${what} is not supported`, { field: 'filterexp' })

/**
 * The core's filter as JSON.
 *
 * @throws GatewayError `filter_invalid`, `unsupported`
 */
export function readFilterExpression(base64: string): Buffer {
  if (!/^[A-Za-z0-9_-]+={0,2}$/.test(base64)) throw invalid()
  const bytes = Buffer.from(base64, 'base64url')
  // A packed expression is a list in MessagePack, which no text begins with.
  if (((bytes[0] ?? 0) & 0xf0) === 0x90) throw unsupported('a packed expression')
  const tokens = bytes.toString().match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()]|[^\s()]+/g) ?? []
  const parser = new Parser(tokens)
  const filter = parser.expression(false, 0)
  if (!parser.done) throw invalid()
  return Buffer.from(filter)
}

class Parser {
  readonly #tokens: readonly string[]
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
    let join: string | undefined
    while (!this.done && this.#peek() !== ')') {
      const operator = this.#next().toLowerCase()
      join ??= operator
      if ((operator !== 'and' && operator !== 'or') || operator !== join) throw invalid()
      parts.push(this.#term(negated, depth))
    }
    if (join === undefined) return parts.join('')
    const kept = (join === 'and') === negated ? 'or' : 'and'
    return `{"${kept}":[${parts.join(',')}]}`
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
    if (this.#peek() === '(') {
      if (FORMS.includes(token)) throw unsupported(token)
      throw invalid()
    }
    const operator = this.#next()
    if (token === ')' || !Object.hasOwn(opposites, operator)) throw invalid()
    return comparison(token, negated ? opposites[operator as Operator] : (operator as Operator), this.#next())
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

const names = { '==': 'eq', '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge' } as const

function comparison(bin: string, operator: Operator, value: string): string {
  if (value === '(' || value === ')') throw invalid()
  const test = (name: string) => `{"bin":${JSON.stringify(bin)},"op":"${name}","value":${operand(value)}}`
  return operator === '!=' ? `{"or":[${test('lt')},${test('gt')}]}` : test(names[operator])
}

/** A number where it reads as an integer of 64 bits, else a text, quoted or not. */
function operand(value: string): string {
  if (/^-?\d{1,19}$/.test(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value)) return BigInt(value).toString()
  const quoted = /^(["'])(.*)\1$/.exec(value)
  return JSON.stringify((quoted?.[2] ?? value).replaceAll(/\\(.)/g, '$1'))
}
