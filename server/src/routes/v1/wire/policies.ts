// Query-string policies of the compatible API: single-valued, first value wins, exact enums, lenient booleans.
import type { Exists, WriteOptions } from '../../../engines/engine.js'
import { GatewayError } from '../../../errors.js'
import { isInteger } from '../../../requests/numbers.js'
import type { Wire } from '../../../msgpack/encode.js'
import { readFilterExpression } from '../filters/filter-expression.js'
import { shapeOf } from './wire.js'

export type Query = Record<string, string | string[] | undefined>

const INT32_MIN = -(2 ** 31)
const INT32_MAX = 2 ** 31 - 1
const LONG_DIGITS = 19

const refuse = (message: string, field: string) => new GatewayError('field_invalid', message, { field })

export function first(query: Query, name: string): string | undefined {
  const value = query[name]
  return Array.isArray(value) ? value[0] : value
}

/** @throws `field_invalid` unless 32 bits wide. */
export function integer(query: Query, name: string): number | undefined {
  const text = first(query, name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (!isInteger(text) || value < INT32_MIN || value > INT32_MAX) throw refuse(`Invalid integer value: ${text}`, name)
  return value
}

/** A count that may be 64 bits wide; 0 = none. */
export function long(query: Query, name: string): number | undefined {
  const text = first(query, name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (!isInteger(text) || value < 0 || text.length > LONG_DIGITS) throw refuse(`Invalid long value: ${text}`, name)
  return value === 0 ? undefined : Math.min(value, Number.MAX_SAFE_INTEGER)
}

export function boolean(query: Query, name: string, fallback: boolean): boolean {
  const text = first(query, name)
  return text === undefined ? fallback : text.toLowerCase() === 'true'
}

export function word<T extends string>(query: Query, name: string, words: Readonly<Record<string, T>>): T | undefined {
  const text = first(query, name)
  if (text === undefined) return undefined
  if (Object.hasOwn(words, text)) return words[text]
  throw refuse(`Invalid ${name}: ${text} , valid choices are ${Object.keys(words).join(', ')}`, name)
}

/** A list: `name=a&name=b`, `name[]=a` or `name[0]=a`. */
export const texts = (query: Query, name: string): string[] =>
  Object.entries(query)
    .filter(([key]) => key.replace(/\[\d*\]$/, '') === name)
    .flatMap(([, value]) => value ?? [])

/** `recordBins`; undefined: all. */
export function binNames(query: Query): string[] | undefined {
  const names = texts(query, 'recordBins')
  return names.length === 0 ? undefined : names
}

/** The filter of a read, write or scan. */
export function filterPolicy(query: Query): { where?: Buffer } {
  const expression = first(query, 'filterexp')
  return expression === undefined ? {} : { where: readFilterExpression(expression) }
}

const actions: Readonly<Record<string, Exists>> = {
  UPDATE: 'merge',
  UPDATE_ONLY: 'update',
  REPLACE: 'upsert',
  REPLACE_ONLY: 'replace',
  CREATE_ONLY: 'create',
}
const generationPolicies = { NONE: 'none', EXPECT_GEN_EQUAL: 'equal', EXPECT_GEN_GT: 'greater' } as const

/** Options of a write. `recordExistsAction` overrides the meaning of the verb. */
export function writePolicy(query: Query, verb: Exists, wire: Wire): WriteOptions {
  const expiration = integer(query, 'expiration')
  if (expiration !== undefined && expiration < -2) throw refuse(`Invalid integer value: ${expiration}`, 'expiration')
  return {
    exists: word(query, 'recordExistsAction', actions) ?? verb,
    shape: shapeOf(wire),
    ...filterPolicy(query),
    ...generationPolicy(query),
    ...(expiration !== undefined && expiration !== 0 && { ttlSeconds: expiration }),
  }
}

export function generationPolicy(query: Query): Pick<WriteOptions, 'generation' | 'generationPolicy'> {
  const policy = word(query, 'generationPolicy', generationPolicies) ?? 'none'
  const generation = integer(query, 'generation') ?? 0
  if (generation < 0) throw refuse(`Invalid integer value: ${generation}`, 'generation')
  return policy === 'none' ? {} : { generation, generationPolicy: policy }
}
