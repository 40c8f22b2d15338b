// What a value that fails its schema should be, in words: "must be 1 to 128, got 500".

import { say, type Sentence } from './sentences/sentence.js'

/** A failure of ajv with `verbose`. */
export interface SchemaFault {
  keyword: string
  params: Record<string, unknown>
  message?: string
  parentSchema?: Record<string, unknown>
  data?: unknown
  instancePath?: string
}

/** Longest value that a message repeats, in characters of JSON. */
const SHOWN_MAX = 40

/** What is wrong with a field, in one sentence: the first failure, or all of a value that may have several shapes. */
export function faultSentence(field: string, faults: readonly SchemaFault[] = []): Sentence {
  const [first] = faults
  if (first === undefined) return say('{field} is not valid', { field })
  const isChoice = faults.some(
    ({ keyword, instancePath }) => keyword === 'anyOf' && instancePath === first.instancePath,
  )
  return withValue(isChoice ? choiceOf(field, first, faults) : ruleOf(field, first), first)
}

/** All types or values that would do, if the value is none of them. */
function choiceOf(field: string, first: SchemaFault, faults: readonly SchemaFault[]): Sentence {
  const here = faults.filter(({ keyword, instancePath }) => keyword !== 'anyOf' && instancePath === first.instancePath)
  if (here.every(({ keyword }) => keyword === 'const')) {
    const allowedValues = here.map(({ params }) => params['allowedValue'])
    return ruleOf(field, { ...first, keyword: 'enum', params: { allowedValues } })
  }
  const other = here.find(({ keyword }) => keyword !== 'type')
  if (other !== undefined) return ruleOf(field, other)
  return ruleOf(field, { ...first, params: { type: [...new Set(here.flatMap(({ params }) => params['type']))] } })
}

/** With the value. One that its schema marks as `writeOnly` is a secret, and no message repeats it. */
export function withValue(what: Sentence, { data, parentSchema = {} }: SchemaFault): Sentence {
  const value = parentSchema['writeOnly'] === true ? undefined : valueText(data)
  return value === undefined ? what : say('{what}, got {value}', { what, value })
}

function ruleOf(field: string, { keyword, params, message, parentSchema = {} }: SchemaFault): Sentence {
  const [least, most] = boundsOf(keyword, parentSchema)
  switch (keyword) {
    case 'enum':
      return say('{field} must be one of {choices}', {
        field,
        choices: (params['allowedValues'] as unknown[]).join(', '),
      })
    case 'const':
      return say('{field} must be {value}', { field, value: String(params['allowedValue']) })
    case 'minimum':
    case 'maximum':
      if (most === '') return say('{field} must be at least {least}', { field, least })
      if (least === '') return say('{field} must be at most {most}', { field, most })
      return say('{field} must be {least} to {most}', { field, least, most })
    case 'minLength':
    case 'maxLength':
      if (most === '') return say('{field} must have at least {least} characters', { field, least })
      if (least === '') return say('{field} must have at most {most} characters', { field, most })
      return say('{field} must have {least} to {most} characters', { field, least, most })
    case 'minItems':
    case 'maxItems':
      if (most === '') return say('{field} must have at least {least} items', { field, least })
      if (least === '') return say('{field} must have at most {most} items', { field, most })
      return say('{field} must have {least} to {most} items', { field, least, most })
    case 'type':
      return say('{field} must be {type}', { field, type: typesOf([params['type']].flat().map(String)) })
    case 'format':
      return say('{field} must be a time as RFC 3339, such as 2026-01-31T12:00:00Z', { field })
    default:
      return message === undefined
        ? say('{field} is not valid', { field })
        : say('{field} {problem}', { field, problem: message })
  }
}

/** The bounds of a value, its length or its items; empty: there is none. */
function boundsOf(keyword: string, schema: Record<string, unknown>): readonly [least: string, most: string] {
  const kind = ['imum', 'Length', 'Items'].find((one) => keyword.endsWith(one)) ?? ''
  const bound = (name: string): string => (schema[name] === undefined ? '' : String(schema[name]))
  return [bound(`min${kind}`), bound(`max${kind}`)]
}

const TYPES: Readonly<Record<string, Sentence>> = {
  array: say('a list'),
  boolean: say('true or false'),
  integer: say('an integer'),
  null: say('null'),
  number: say('a number'),
  object: say('an object'),
  string: say('a string'),
}

function typesOf(types: readonly string[]): Sentence | string {
  const [first = '', ...others] = types.map((type) => TYPES[type] ?? type)
  return others.reduce((one, other) => say('{one} or {other}', { one, other }), first)
}

/** The value as ", got 500"; nothing if it is long, or a list or an object. */
export function got(data: unknown): string {
  const text = valueText(data)
  return text === undefined ? '' : `, got ${text}`
}

function valueText(data: unknown): string | undefined {
  if (data === undefined || (typeof data === 'object' && data !== null)) return undefined
  const text = typeof data === 'bigint' || typeof data === 'number' ? String(data) : JSON.stringify(data)
  return text.length > SHOWN_MAX ? undefined : text
}
