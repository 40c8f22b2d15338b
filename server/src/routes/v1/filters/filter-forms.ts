// The named forms of the filter language, such as `LIST_ITERATE_OR(bin, ==, 5)`.
import {
  compare,
  compareExpiry,
  fits,
  invalid,
  iterate,
  type Iteration,
  ofMeta,
  type Operator,
  opposites,
  unsupported,
} from './filter-tests.js'

const iterations: Readonly<Record<string, Iteration>> = {
  LIST_ITERATE_OR: { members: 'items', all: false },
  LIST_ITERATE_AND: { members: 'items', all: true },
  MAPKEY_ITERATE_OR: { members: 'keys', all: false },
  MAPKEY_ITERATE_AND: { members: 'keys', all: true },
  MAPVAL_ITERATE_OR: { members: 'values', all: false },
  MAPVAL_ITERATE_AND: { members: 'values', all: true },
}

/** Later than every time that can be stored. */
const SECONDS_MAX = 10n ** 12n

/**
 * The filter of a form with its operands, or its negation.
 *
 * @throws GatewayError `filter_invalid`, `unsupported`
 */
export function readForm(name: string, given: readonly string[], negated: boolean): string {
  const [first = '', second = '', third = ''] = given
  const counted = (count: number) => {
    if (given.length !== count) throw invalid()
  }
  if (Object.hasOwn(iterations, name)) {
    counted(3)
    return iterate(first, iterations[name] as Iteration, negated, operatorOf(second, false), operand(third))
  }
  switch (name) {
    case 'LAST_UPDATE':
      counted(2)
      return compare(ofMeta('updatedAt'), operatorOf(first, negated), String(millis(second)))
    case 'VOID_TIME':
      counted(2)
      // -1 (never expires) is the same in each unit.
      return compareExpiry('expiresAt', operatorOf(first, negated), second === '-1' ? -1n : millis(second))
    case 'DIGEST_MODULO':
      counted(3)
      if (!/^[1-9]\d{0,9}$/.test(first)) throw invalid()
      return compare(`${ofMeta('digest')},"modulo":${first}`, operatorOf(second, negated), String(integer(third)))
    case 'STRING_REGEX':
      throw unsupported(name)
    default:
      throw invalid()
  }
}

export function operatorOf(text: string, negated: boolean): Operator {
  if (!Object.hasOwn(opposites, text)) throw invalid()
  return negated ? opposites[text as Operator] : (text as Operator)
}

/** A number if it is a 64-bit integer, else a text, quoted or not. */
export function operand(value: string): string {
  if (/^-?\d{1,19}$/.test(value) && fits(BigInt(value))) return BigInt(value).toString()
  const quoted = /^(["'])(.*)\1$/s.exec(value)
  return JSON.stringify((quoted?.[2] ?? value).replaceAll(/\\(.)/gs, '$1'))
}

function integer(text: string): bigint {
  if (!/^-?\d{1,18}$/.test(text)) throw invalid()
  return BigInt(text)
}

/** Seconds since 1970 as milliseconds. */
function millis(text: string): bigint {
  const seconds = integer(text)
  if (seconds > SECONDS_MAX || seconds < -SECONDS_MAX) throw invalid()
  return seconds * 1000n
}
