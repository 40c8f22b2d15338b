// Builds tests of the core's filters, for both forms of `filterexp`.
//
// In Aerospike, a comparison with a missing bin or another type is unknown, and an unknown filter passes nothing. So only
// comparisons that hold may pass here: `not` moves down to the comparisons, and `!=` becomes less or greater.
import { GatewayError } from '../../../errors.js'

/** Deepest nesting of parentheses and `not`. */
export const DEPTH_MAX = 12
/** Most tests of one filter, as in the core. A test takes more memory than its text. */
const TESTS_MAX = 256

export const opposites = { '==': '!=', '!=': '==', '<': '>=', '>=': '<', '>': '<=', '<=': '>' } as const
export type Operator = keyof typeof opposites

const names = { '==': 'eq', '!=': 'ne', '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge' } as const

export const invalid = () => new GatewayError('filter_invalid', 'Invalid Filter Expression', { field: 'filterexp' })
export const unsupported = (what: string) =>
  new GatewayError('unsupported', `${what} is not supported`, { field: 'filterexp' })

/** Counts the tests of one filter during parsing. */
export class TestCount {
  #count = 0

  /** @throws GatewayError `filter_invalid` if there are too many. */
  add(): void {
    this.#count += 1
    if (this.#count > TESTS_MAX) throw invalid()
  }
}

/** The subject of a test, a bin or a field of the metadata, as members of its JSON. */
export const ofBin = (name: string): string => `"bin":${JSON.stringify(name)}`
export const ofMeta = (name: string): string => `"meta":"${name}"`

export const join = (how: 'and' | 'or', parts: readonly string[]): string => `{"${how}":[${parts.join(',')}]}`

const test = (subject: string, op: string, operand: string) => `{${subject},"op":"${op}","value":${operand}}`

/** A comparison with a JSON value. It holds only if the record has a value of that kind. */
export const compare = (subject: string, operator: Operator, operand: string): string =>
  operator === '!='
    ? join('or', [test(subject, 'lt', operand), test(subject, 'gt', operand)])
    : test(subject, names[operator], operand)

export const exists = (subject: string, wanted: boolean): string => `{${subject},"op":"exists","value":${wanted}}`

/** A test that every record passes, or none. */
export const always = (passes: boolean): string => exists(ofMeta('generation'), passes)

/** Compares an expiry time or a time to live; for a record that never expires it is -1. */
export function compareExpiry(field: 'expiresAt' | 'ttl', operator: Operator, operand: bigint): string {
  const compared = compare(ofMeta(field), operator, String(operand))
  return holds(-1n, operator, operand) ? join('or', [compared, exists(ofMeta(field), false)]) : compared
}

function holds(left: bigint, operator: Operator, right: bigint): boolean {
  if (operator === '==' || operator === '!=') return (left === right) === (operator === '==')
  if (left === right) return operator.endsWith('=')
  return left < right === operator.startsWith('<')
}

export interface Iteration {
  members: 'items' | 'keys' | 'values'
  all: boolean
}

/**
 * Tests some or all members of a list or map. A member of another kind differs from the operand. A
 * negation also needs the list or map.
 */
export function iterate(
  bin: string,
  { members, all }: Iteration,
  negated: boolean,
  op: Operator,
  operand: string,
): string {
  const subject = (how: 'any' | 'all') => `${ofBin(bin)},"${how}":"${members}"`
  const asked = test(subject(all ? 'all' : 'any'), names[op], operand)
  // A test that every member passes: it holds if the list or map exists.
  return negated ? join('and', [`{${subject('all')},"op":"exists"}`, `{"not":${asked}}`]) : asked
}

/** Whether an integer has 64 bits. */
export const fits = (value: bigint): boolean => BigInt.asIntN(64, value) === value
