import {
  doubleText,
  type Exact,
  fitsInt64,
  INT64_WANTED,
  isExactObject,
  isIntegerText,
  LosslessNumber,
  printExact,
} from './json'
import { faultOf, faultWords, laidOut } from './json-scan'
import { t } from '../language/text'

export const binTypes = ['string', 'integer', 'double', 'boolean', 'null', 'bytes', 'json'] as const
export type BinType = (typeof binTypes)[number]

/** One bin in the form, with its value as the text of the control. */
export interface BinField {
  name: string
  type: BinType
  text: string
}

/** The rows of a form for these bins. */
export function fieldsOf(bins: Exact): BinField[] {
  if (!isExactObject(bins)) return []
  return Object.entries(bins).map(([name, value]) => fieldOf(name, value))
}

function fieldOf(name: string, value: Exact): BinField {
  if (value === null) return { name, type: 'null', text: '' }
  if (typeof value === 'string') return { name, type: 'string', text: value }
  if (typeof value === 'boolean') return { name, type: 'boolean', text: String(value) }
  if (value instanceof LosslessNumber) {
    const text = value.toString()
    return { name, type: isIntegerText(text) ? 'integer' : 'double', text }
  }
  if (isExactObject(value) && typeof value['$bytes'] === 'string' && Object.keys(value).length === 1) {
    return { name, type: 'bytes', text: value['$bytes'] }
  }
  return { name, type: 'json', text: printExact(value, 2) }
}

/** Why the name of a field cannot be saved; undefined if it can. */
export function nameProblem({ name }: BinField, all: readonly BinField[]): string | undefined {
  if (name === '') return t('Enter a name for the bin')
  if (new TextEncoder().encode(name).length > 255) return t('A bin name must be at most 255 bytes')
  return all.filter((other) => other.name === name).length > 1 ? t('Another bin has this name') : undefined
}

/** What is wrong with values that have been checked: a long one is checked once. */
const checked = new WeakMap<BinField, string | undefined>()

/** Like `nameProblem`, for the value. */
export function valueProblem(field: BinField): string | undefined {
  if (!checked.has(field)) checked.set(field, problemOfValue(field))
  return checked.get(field)
}

function problemOfValue(field: BinField): string | undefined {
  const text = field.text.trim()
  switch (field.type) {
    case 'integer':
      return fitsInt64(text) ? undefined : INT64_WANTED
    case 'double':
      return text !== '' && /^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text)
        ? undefined
        : t('Enter a number such as 1.5 or 2e10')
    case 'bytes':
      return /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0 ? undefined : t('Enter base64 with padding')
    case 'json':
      return jsonProblem(text)
    default:
      return undefined
  }
}

/** Like `nameProblem`, for the whole field. */
export const problemOf = (field: BinField, all: readonly BinField[]): string | undefined =>
  nameProblem(field, all) ?? valueProblem(field)

/** Where and why a text is no JSON; undefined if it is. */
export function jsonProblem(text: string): string | undefined {
  const fault = faultOf(text)
  return fault && faultWords(text, fault)
}

/** The JSON object of bins to send; numbers keep every digit. Call it only without problems. */
export function binsText(fields: readonly BinField[]): string {
  const members = fields.map((field) => `${JSON.stringify(field.name)}:${valueText(field)}`)
  return `{${members.join(',')}}`
}

function valueText({ type, text }: BinField): string {
  switch (type) {
    case 'string':
      return JSON.stringify(text)
    case 'integer':
      return BigInt(text.trim()).toString()
    case 'double':
      return doubleText(text)
    case 'boolean':
      return text === 'true' ? 'true' : 'false'
    case 'null':
      return 'null'
    case 'bytes':
      return JSON.stringify({ $bytes: text.trim() })
    case 'json':
      return laidOut(text, 0)
  }
}
