import { isObject, type Json, resolve } from './operations'
import { t } from '../../language/text'

/** What one value of a body may be: its type in words, its limits, and the parts that it has. */
export interface SchemaPart {
  name: string
  required: boolean
  words: string
  description: string
  /** a value of it that has parts of its own */
  schema: unknown
}

/** The parts of an object, of the elements of an array, or of each of several forms. */
export function partsOf(document: unknown, given: unknown): SchemaPart[] {
  const schema = resolve(document, given)
  if (!isObject(schema)) return []
  const forms = formsOf(schema)
  if (forms.length > 0) return forms.flatMap((form) => partsOf(document, form))
  if (schema['items'] !== undefined) return partsOf(document, schema['items'])
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const named = isObject(schema['properties']) ? Object.entries(schema['properties']) : []
  const others = schema['additionalProperties']
  return [
    ...named.map(([name, part]) => partOf(document, name, required.includes(name), part)),
    ...(isObject(others) ? [partOf(document, t('any name'), false, others)] : []),
  ]
}

function partOf(document: unknown, name: string, required: boolean, schema: unknown): SchemaPart {
  const resolved = resolve(document, schema)
  const told = isObject(schema) ? (schema['description'] ?? (isObject(resolved) ? resolved['description'] : '')) : ''
  return {
    name,
    required,
    words: typeWords(document, schema),
    description: typeof told === 'string' ? told : '',
    schema,
  }
}

const formsOf = (schema: Json): unknown[] =>
  ['anyOf', 'oneOf', 'allOf'].flatMap((name) => (Array.isArray(schema[name]) ? (schema[name] as unknown[]) : []))

/** A type in words, such as `list of integer, 1 to 128`. */
export function typeWords(document: unknown, given: unknown): string {
  const schema = resolve(document, given)
  if (!isObject(schema)) return t('anything')
  const choices = schema['enum']
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(t(' or '))
  if (schema['const'] !== undefined) return JSON.stringify(schema['const'])
  const forms = formsOf(schema)
  if (forms.length > 0) return [...new Set(forms.map((form) => typeWords(document, form)))].join(t(' or '))
  if (schema['type'] === 'array') return t('list of {type}', { type: typeWords(document, schema['items']) })
  const type = Array.isArray(schema['type']) ? schema['type'].join(t(' or ')) : schema['type']
  return [typeof type === 'string' ? type : t('anything'), limitWords(schema)].filter(Boolean).join(', ')
}

function limitWords({ minimum, maximum, minLength, maxLength }: Json): string {
  if (minimum !== undefined && maximum !== undefined)
    return t('{minimum} to {maximum}', { minimum: String(minimum), maximum: String(maximum) })
  if (minimum !== undefined) return t('from {minimum}', { minimum: String(minimum) })
  if (maximum !== undefined) return t('to {maximum}', { maximum: String(maximum) })
  if (maxLength !== undefined)
    return t('{minLength} to {maxLength} characters', {
      minLength: String(minLength ?? 0),
      maxLength: String(maxLength),
    })
  return ''
}
