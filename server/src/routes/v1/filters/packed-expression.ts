// Packed filter expressions of Aerospike's clients: lists in MessagePack that begin with a number. Supported are comparisons of
// a bin or metadata with a value, and their logical operators.
import { unpack } from '../../../msgpack/decode.js'
import {
  always,
  compare,
  compareExpiry,
  DEPTH_MAX,
  exists,
  fits,
  invalid,
  join,
  ofBin,
  ofMeta,
  type Operator,
  opposites,
  TestCount,
  unsupported,
} from './filter-tests.js'

const operators: Readonly<Record<number, Operator>> = { 1: '==', 2: '!=', 3: '>', 4: '>=', 5: '<', 6: '<=' }
const [AND, OR, NOT] = [16, 17, 18]
const [DIGEST_MODULO, DEVICE_SIZE, LAST_UPDATE, SINCE_UPDATE, VOID_TIME, TTL] = [64, 65, 66, 67, 68, 69]
const [SET_NAME, KEY_EXISTS, IS_TOMBSTONE, MEMORY_SIZE, RECORD_SIZE] = [70, 71, 72, 73, 74]
const [KEY, BIN, BIN_TYPE] = [80, 81, 82]

/** Types of bins and keys. */
const [BOOL, INT, STRING, FLOAT] = [1, 2, 3, 7]
/** A text value begins with its particle type. */
const TEXT = '\u0003'

const swapped: Readonly<Record<Operator, Operator>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

/**
 * The core's filter as JSON.
 *
 * @throws GatewayError `filter_invalid`, `unsupported`
 */
export function readPackedExpression(bytes: Buffer): string {
  let expression: unknown
  try {
    expression = unpack(bytes)
  } catch {
    throw invalid()
  }
  return condition(expression, false, 0, new TestCount())
}

function condition(node: unknown, negated: boolean, depth: number, tests: TestCount): string {
  if (depth > DEPTH_MAX) throw invalid()
  const [code, ...parts] = typeof node === 'boolean' ? [] : listOf(node)
  if (code !== AND && code !== OR && code !== NOT) tests.add()
  if (typeof node === 'boolean') return always(node !== negated)
  const operator = typeof code === 'number' ? operators[code] : undefined
  if (operator !== undefined) {
    const [left, right] = exactly(parts, 2)
    const asked = Array.isArray(left) ? operator : swapped[operator]
    const source = Array.isArray(left) ? left : right
    return comparison(listOf(source), negated ? opposites[asked] : asked, Array.isArray(left) ? right : left)
  }
  switch (code) {
    case AND:
    case OR:
      if (parts.length === 0) throw invalid()
      return join(
        (code === AND) === negated ? 'or' : 'and',
        parts.map((part) => condition(part, negated, depth + 1, tests)),
      )
    case NOT:
      return condition(exactly(parts, 1)[0], !negated, depth + 1, tests)
    // Every record has its key, and filters never see deleted records.
    case KEY_EXISTS:
      return always(!negated)
    case IS_TOMBSTONE:
      return always(negated)
    case BIN:
      if (parts[0] !== BOOL) throw invalid()
      return comparison(listOf(node), '==', !negated)
    default:
      throw unknown(code)
  }
}

function comparison([code, ...parts]: unknown[], operator: Operator, value: unknown): string {
  switch (code) {
    case BIN: {
      const [type, name] = exactly(parts, 2)
      if (typeof name !== 'string') throw invalid()
      return typed(ofBin(name), type, operator, value)
    }
    case BIN_TYPE: {
      const [name] = exactly(parts, 1)
      if (typeof name !== 'string') throw invalid()
      // Clients only ask whether the bin exists.
      if (integer(value) !== 0n || (operator !== '==' && operator !== '!=')) throw unsupported('the type of a bin')
      return exists(ofBin(name), operator === '!=')
    }
    case KEY:
      return typed(ofMeta('key'), exactly(parts, 1)[0], operator, value)
    case SET_NAME:
      return typed(ofMeta('set'), STRING, operator, value)
    case DIGEST_MODULO: {
      const modulo = integer(exactly(parts, 1)[0])
      if (modulo < 1n) throw invalid()
      return typed(`${ofMeta('digest')},"modulo":${modulo}`, INT, operator, value)
    }
    case DEVICE_SIZE:
    case MEMORY_SIZE:
    case RECORD_SIZE:
      return typed(ofMeta('size'), INT, operator, value)
    case TTL:
      return compareExpiry('ttl', operator, integer(value))
    case LAST_UPDATE:
      return nanos(operator, integer(value), (of, ms) => compare(ofMeta('updatedAt'), of, String(ms)))
    case VOID_TIME:
      // -1 (never expires) is the same in each unit.
      if (integer(value) === -1n) return compareExpiry('expiresAt', operator, -1n)
      return nanos(operator, integer(value), (of, ms) => compareExpiry('expiresAt', of, ms))
    case SINCE_UPDATE: {
      const moment = BigInt(Date.now()) - integer(value)
      return compare(ofMeta('updatedAt'), swapped[operator], String(moment))
    }
    default:
      throw unknown(code)
  }
}

function typed(subject: string, type: unknown, operator: Operator, value: unknown): string {
  switch (type) {
    case BOOL:
      if (typeof value !== 'boolean' || (operator !== '==' && operator !== '!=')) throw invalid()
      return compare(subject, '==', String((operator === '==') === value))
    case INT:
      return compare(subject, operator, String(integer(value)))
    case FLOAT:
      if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid()
      return compare(subject, operator, double(value))
    case STRING:
      if (typeof value !== 'string' || !value.startsWith(TEXT)) throw invalid()
      return compare(subject, operator, JSON.stringify(value.slice(TEXT.length)))
    default:
      throw typeof type === 'number' ? unsupported('this type in a packed expression') : invalid()
  }
}

/** Writes a double so that the core does not read a whole one as an integer. */
function double(value: number): string {
  const text = JSON.stringify(value)
  return /[.e]/.test(text) ? text : `${text}e0`
}

/** Compares a time in milliseconds with a time in nanoseconds, which may lie between two milliseconds. */
function nanos(operator: Operator, value: bigint, compared: (operator: Operator, ms: bigint) => string): string {
  const ms = value >= 0n ? value / 1_000_000n : -((999_999n - value) / 1_000_000n)
  if (ms * 1_000_000n === value) return compared(operator, ms)
  if (operator === '==' || operator === '!=') return always(operator === '!=')
  return compared(operator.startsWith('>') ? '>' : '<=', ms)
}

function listOf(node: unknown): unknown[] {
  if (!Array.isArray(node)) throw invalid()
  return node as unknown[]
}

function exactly(parts: unknown[], count: number): unknown[] {
  if (parts.length !== count) throw invalid()
  return parts
}

function integer(value: unknown): bigint {
  const whole =
    typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)) ? BigInt(value) : undefined
  if (whole === undefined || !fits(whole)) throw invalid()
  return whole
}

const unknown = (code: unknown) =>
  typeof code === 'number' ? unsupported(`${code} in a packed expression`) : invalid()
