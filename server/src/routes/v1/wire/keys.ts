// Keys of the compatible API, with its error messages.
import type { KeyInput } from '../../../engines/engine.js'
import { GatewayError } from '../../../errors.js'
import { readKey } from '../../../requests/key.js'
import { type Query, word } from './policies.js'

const keyTypes = { STRING: 'string', INTEGER: 'integer', BYTES: 'bytes', DIGEST: 'digest' } as const

const messages = {
  string: (key: string) => `Invalid key: ${key}`,
  integer: (key: string) => `Invalid integer value: ${key}`,
  bytes: (key: string) => `Unable to decode bytes: ${key}`,
  digest: (key: string) => `Digest must be 20 bytes long: ${key}`,
} as const

export const keyOf = (key: string, query: Query): KeyInput =>
  keyOfType(key, word(query, 'keytype', keyTypes) ?? 'string')

/** A key of a batch. */
export const namedKey = (key: string, type: keyof typeof keyTypes): KeyInput => keyOfType(key, keyTypes[type])

function keyOfType(key: string, type: (typeof keyTypes)[keyof typeof keyTypes]): KeyInput {
  try {
    return readKey(key, type)
  } catch {
    throw new GatewayError('key_invalid', messages[type](key), { field: 'key' })
  }
}
