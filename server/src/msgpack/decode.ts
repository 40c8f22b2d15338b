// MessagePack of control requests. The core reads the records themselves.
import { GatewayError } from '../errors.js'
import { Written } from './encode.js'
import { say, type Sentence } from '../sentences/sentence.js'

/** As in the core: lists and maps nest at most this deep. */
const NESTING_MAX = 64

const GEO_JSON = 23

/** JSON has no such number. The core refuses this one where it stands, so it costs one record of a batch. */
const NOT_FINITE = new Written(Buffer.from('1e999'))

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads `bytes` as one value. Integers beyond 2^53 become bigints and bytes become Buffers. Members named in `raw` become
 * Buffers of their MessagePack, unless they are inside another such member. With `exactDoubles`, doubles become their
 * JSON, which always has a point or an exponent; it is out of range if the double is not finite.
 *
 * @throws GatewayError `msgpack_invalid`, `utf8_invalid`, `json_duplicate_key`, `nesting_too_deep`, `unsupported`
 */
export function unpack(bytes: Buffer, raw: readonly string[] = [], { exactDoubles = false } = {}): unknown {
  const reader = new Reader(bytes, raw, exactDoubles)
  const value = reader.value(0)
  if (reader.at !== bytes.length)
    throw invalid(say('unexpected bytes after the value, from byte {at}', { at: reader.at }))
  return value
}

const invalid = (message: Sentence) => new GatewayError('msgpack_invalid', message)

/** As many values as the largest record can hold. Each value takes memory here, however short it is. */
const VALUES_MAX = 1_000_000

class Reader {
  at = 0
  #values = 0
  readonly #bytes: Buffer
  readonly #raw: readonly string[]
  readonly #exactDoubles: boolean

  constructor(bytes: Buffer, raw: readonly string[], exactDoubles: boolean) {
    this.#bytes = bytes
    this.#raw = raw
    this.#exactDoubles = exactDoubles
  }

  value(depth: number): unknown {
    this.#values += 1
    if (this.#values > VALUES_MAX) throw invalid(say('the input has more than {most} values', { most: VALUES_MAX }))
    const marker = this.#number(1)
    if (marker < 0x80) return marker
    if (marker < 0x90) return this.#map(marker & 0x0f, depth)
    if (marker < 0xa0) return this.#list(marker & 0x0f, depth)
    if (marker < 0xc0) return this.#text(marker & 0x1f)
    if (marker >= 0xe0) return marker - 0x100
    switch (marker) {
      case 0xc0:
        return null
      case 0xc2:
        return false
      case 0xc3:
        return true
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#slice(this.#number(1 << (marker - 0xc4)))
      case 0xca:
        return this.#double(this.#slice(4).readFloatBE())
      case 0xcb:
        return this.#double(this.#slice(8).readDoubleBE())
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#number(1 << (marker - 0xcc))
      case 0xcf:
        return whole(this.#slice(8).readBigUInt64BE())
      case 0xd0:
      case 0xd1:
      case 0xd2: {
        const width = 1 << (marker - 0xd0)
        return this.#slice(width).readIntBE(0, width)
      }
      case 0xd3:
        return whole(this.#slice(8).readBigInt64BE())
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#number(1 << (marker - 0xd9)))
      case 0xdc:
      case 0xdd:
        return this.#list(this.#number(2 << (marker - 0xdc)), depth)
      case 0xde:
      case 0xdf:
        return this.#map(this.#number(2 << (marker - 0xde)), depth)
      case 0xc7:
      case 0xc8:
      case 0xc9:
        this.#slice(1 << (marker - 0xc7))
        throw this.#extension()
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        throw this.#extension()
      default:
        throw invalid(say('unsupported marker at byte {at}', { at: this.at - 1 }))
    }
  }

  #double(value: number): number | Written {
    if (!this.#exactDoubles) return value
    if (!Number.isFinite(value)) return NOT_FINITE
    const text = Object.is(value, -0) ? '-0' : String(value)
    return new Written(Buffer.from(/^-?\d+$/.test(text) ? `${text}.0` : text))
  }

  /** As in the core: the GeoJSON extension of Aerospike is known, but not supported. */
  #extension(): GatewayError {
    if (this.#number(1) === GEO_JSON) return new GatewayError('unsupported', say('GeoJSON values are not supported'))
    return invalid(say('unknown extension type at byte {at}', { at: this.at - 1 }))
  }

  #list(count: number, depth: number): unknown[] {
    this.#nest(depth)
    const items: unknown[] = []
    for (let i = 0; i < count; i += 1) items.push(this.value(depth + 1))
    return items
  }

  #map(count: number, depth: number): Record<string, unknown> {
    this.#nest(depth)
    const entries = new Map<string, unknown>()
    for (let i = 0; i < count; i += 1) {
      const name = this.value(depth + 1)
      if (typeof name !== 'string')
        throw new GatewayError('unsupported', say('map keys that are not strings are not supported'))
      if (entries.has(name))
        throw new GatewayError('json_duplicate_key', say('the key "{key}" appears twice', { key: name }))
      const start = this.at
      const value = this.value(depth + 1)
      entries.set(name, this.#raw.includes(name) ? this.#bytes.subarray(start, this.at) : value)
    }
    return Object.fromEntries(entries)
  }

  #nest(depth: number): void {
    if (depth >= NESTING_MAX)
      throw new GatewayError('nesting_too_deep', say('nesting is deeper than {most} levels', { most: NESTING_MAX }))
  }

  #text(length: number): string {
    try {
      return decoder.decode(this.#slice(length))
    } catch (error) {
      if (error instanceof GatewayError) throw error
      throw new GatewayError('utf8_invalid', say('the string that ends at byte {at} is not UTF-8', { at: this.at }))
    }
  }

  #number(width: number): number {
    return this.#slice(width).readUIntBE(0, width)
  }

  #slice(length: number): Buffer {
    if (this.at + length > this.#bytes.length)
      throw invalid(say('the input ends at byte {bytes}, inside a value', { bytes: this.#bytes.length }))
    const slice = this.#bytes.subarray(this.at, this.at + length)
    this.at += length
    return slice
  }
}

const whole = (value: bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
