import { type Exact, fitsInt64, INT64_WANTED, isExactObject, LosslessNumber } from './json'
import { t } from '../language/text'

/** A record's key for the API: its text and type. */
export interface RecordKey {
  text: string
  type: 'string' | 'integer' | 'bytes' | 'digest'
}

export const keyTypes = ['string', 'integer', 'bytes', 'digest'] as const

/** Why a text is no key of a type; undefined if it is one, and while it is empty. */
export function keyProblem({ text, type }: RecordKey): string | undefined {
  if (text === '') return undefined
  if (type === 'integer') return fitsInt64(text) ? undefined : INT64_WANTED
  if (type !== 'bytes') return undefined
  const [, digits = ''] = /^([\w+/-]+)={0,2}$/.exec(text) ?? []
  return digits !== '' && digits.length % 4 !== 1 ? undefined : t('Enter base64')
}

/** The key of a record object, or its digest if no key was stored. */
export function keyOf(record: Exact): RecordKey | undefined {
  if (!isExactObject(record)) return undefined
  const { key, digest } = record
  if (typeof key === 'string') return { text: key, type: 'string' }
  if (key instanceof LosslessNumber) return { text: key.toString(), type: 'integer' }
  if (isExactObject(key) && typeof key['bytes'] === 'string') return { text: urlSafe(key['bytes']), type: 'bytes' }
  return typeof digest === 'string' ? { text: digest, type: 'digest' } : undefined
}

/** The stand-in for a damaged record. */
export function damageOf(record: Exact | undefined): { message: string; digest: string } | undefined {
  const error = isExactObject(record) ? record['error'] : undefined
  if (!isExactObject(error) || error['code'] !== 'record_damaged') return undefined
  return { message: String(error['message']), digest: String(error['digest']) }
}

/** Converts standard base64 to URL-safe base64. */
function urlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Path of the records of a set; empty name: without a set. */
export function recordsPath(ns: string, set: string): string {
  const inSet = set === '' ? '' : `/sets/${encodeURIComponent(set)}`
  return `/api/v1/namespaces/${encodeURIComponent(ns)}${inSet}/records`
}

/** Path of one record; all parts are escaped. */
export function recordPath(ns: string, set: string, key: RecordKey): string {
  const base = `${recordsPath(ns, set)}/${encodeURIComponent(key.text)}`
  return key.type === 'string' ? base : `${base}?keytype=${key.type}`
}
