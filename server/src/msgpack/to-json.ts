// Writes MessagePack of clients as JSON for the core. Integers stay exact, doubles keep their point, bytes their bytes.
import { GatewayError } from '../errors.js'
import { unpack } from './decode.js'
import { encode, Written } from './encode.js'
import { say } from '../sentences/sentence.js'

/** One line of JSON per item of a list in MessagePack. `key`: items are keys; otherwise maps whose `key` is one. */
export function linesOfPacked(bytes: Buffer, items: 'keys' | 'records'): Buffer {
  const list = unpack(bytes, [], { exactDoubles: true })
  if (!Array.isArray(list))
    throw new GatewayError('msgpack_invalid', say('the body must be a list of {items}', { items }), { field: 'body' })
  const lines = list.flatMap((item) => [encode('json', items === 'keys' ? keyOf(item) : recordOf(item)), NEWLINE])
  return Buffer.concat(lines)
}

const NEWLINE = Buffer.from('\n')

function recordOf(item: unknown): unknown {
  const all = written(item)
  if (!isMap(item) || !Buffer.isBuffer(item['key'])) return all
  return { ...(all as object), key: keyOf(item['key']) }
}

const keyOf = (key: unknown): unknown => (Buffer.isBuffer(key) ? { bytes: key.toString('base64') } : written(key))

/** Bytes become what the core writes for them. */
export function written(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return { $bytes: value.toString('base64') }
  if (Array.isArray(value)) return value.map(written)
  if (!isMap(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, written(member)]))
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Written)
