// Reads keys in paths by their key type.
import type { KeyInput } from '../engines/engine.js'
import { GatewayError } from '../errors.js'
import type { KeyType } from '../schemas/records/records.js'
import { say, type Sentence } from '../sentences/sentence.js'

const DIGEST_BYTES = 20
const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

const invalid = (message: Sentence, field: string) => new GatewayError('key_invalid', message, { field })
const shown = (text: string) => JSON.stringify(text.slice(0, 40))

/**
 * @param field name of the key in the request
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
  if (!/^-?\d{1,20}$/.test(text))
    throw invalid(say('an integer key must be decimal digits, got {given}', { given: shown(text) }), field)
  const value = BigInt(text)
  if (value < INT64_MIN || value > INT64_MAX) {
    throw new GatewayError(
      'number_out_of_range',
      say('an integer key must fit into 64 bits, got {given}', { given: text }),
      { field },
    )
  }
  return value
}

/** URL-safe or standard alphabet, padding optional. */
export function readBase64(text: string, field = 'key'): Buffer {
  if (!/^[A-Za-z0-9_+/-]+={0,2}$/.test(text) || text.replace(/=+$/, '').length % 4 === 1) {
    throw invalid(say('the key must be URL-safe base64, got {given}', { given: shown(text) }), field)
  }
  return Buffer.from(text, 'base64')
}

function readDigest(text: string, field: string): Buffer {
  const digest = /^[0-9a-fA-F]{40}$/.test(text) ? Buffer.from(text, 'hex') : readBase64(text, field)
  if (digest.length !== DIGEST_BYTES) {
    const message = say('a digest must be 40 hex digits or 20 bytes in URL-safe base64, got {given} bytes', {
      given: digest.length,
    })
    throw invalid(message, field)
  }
  return digest
}
