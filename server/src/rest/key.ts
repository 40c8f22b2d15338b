// Keys in paths: their text, read by key type.
import type { KeyInput } from '../engines/engine.js'
import { GatewayError } from '../errors.js'
import type { KeyType } from '../schemas/records.js'

const DIGEST_BYTES = 20
const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

const invalid = (message: string, field: string) => new GatewayError('key_invalid', message, { field })

/**
 * @param field what the request calls it
 * @throws GatewayError `key_invalid`, `number_out_of_range`
 */
export function readKey(text: string, type: KeyType, field = 'key'): KeyInput {
  switch (type) {
    case 'string':
      return { type, value: text }
    case 'integer':
      return { type, value: readInt64(text, field) }
    case 'bytes':
      return { type, value: readBase64(text, field) }
    case 'digest':
      return { type, value: readDigest(text, field) }
  }
}

function readInt64(text: string, field: string): bigint {
  if (!/^-?\d{1,20}$/.test(text)) throw invalid('an integer key is decimal digits', field)
  const value = BigInt(text)
  if (value < INT64_MIN || value > INT64_MAX) {
    throw new GatewayError('number_out_of_range', 'an integer key is a signed 64-bit number', { field })
  }
  return value
}

/** URL-safe or standard alphabet, padding optional. */
export function readBase64(text: string, field = 'key'): Buffer {
  if (!/^[A-Za-z0-9_+/-]+={0,2}$/.test(text) || text.replace(/=+$/, '').length % 4 === 1) {
    throw invalid('a bytes key is URL-safe base64', field)
  }
  return Buffer.from(text, 'base64')
}

function readDigest(text: string, field: string): Buffer {
  const digest = /^[0-9a-fA-F]{40}$/.test(text) ? Buffer.from(text, 'hex') : readBase64(text, field)
  if (digest.length !== DIGEST_BYTES) throw invalid('a digest is 40 hex digits, or URL-safe base64 of 20 bytes', field)
  return digest
}
