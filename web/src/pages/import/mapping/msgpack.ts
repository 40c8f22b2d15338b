// Reads the first values of a MessagePack file, as JSON that keeps 64-bit integers.
import { doubleText, type Exact, LosslessNumber } from '../../../records/json'

/** Deeper values are not shown: the server rejects them too. */
const DEEPEST = 66

export interface Beginning {
  values: Exact[]
  /** where the last whole value ends */
  end: number
}

/** Reads whole values from the beginning of a stream, at most so many. It stops where one is cut off, or is none. */
export function valuesOf(bytes: Uint8Array, most = Infinity): Beginning {
  const reader = new Reader(bytes)
  const values: Exact[] = []
  let end = 0
  try {
    while (end < bytes.length && values.length < most) {
      values.push(reader.value(0))
      end = reader.at
    }
  } catch (reason) {
    if (!(reason instanceof RangeError)) throw reason
  }
  return { values, end }
}

/** Bytes as a record in JSON has them. */
const bytesOf = (content: Uint8Array): Exact => ({
  $bytes: btoa(Array.from(content, (byte) => String.fromCharCode(byte)).join('')),
})

class Reader {
  at = 0
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #text = new TextDecoder()

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /** @throws RangeError if the bytes end before the value does, or begin none */
  value(depth: number): Exact {
    if (depth > DEEPEST) throw new RangeError('values are nested too deeply')
    const marker = this.#unsigned(1)
    if (marker < 0x80) return exact(marker)
    if (marker < 0x90) return this.#map(marker & 0x0f, depth)
    if (marker < 0xa0) return this.#list(marker & 0x0f, depth)
    if (marker < 0xc0) return this.#string(marker & 0x1f)
    if (marker >= 0xe0) return exact(marker - 0x100)
    if (marker === 0xc0) return null
    if (marker === 0xc1) throw new RangeError('this begins no value')
    if (marker < 0xc4) return marker === 0xc3
    if (marker < 0xc7) return bytesOf(this.#slice(this.#unsigned(1 << (marker - 0xc4))))
    if (marker < 0xca) return this.#extension(this.#unsigned(1 << (marker - 0xc7)))
    if (marker === 0xca) return double(this.#view.getFloat32(this.#move(4)))
    if (marker === 0xcb) return double(this.#view.getFloat64(this.#move(8)))
    if (marker < 0xcf) return exact(this.#unsigned(1 << (marker - 0xcc)))
    if (marker === 0xcf) return exact(this.#view.getBigUint64(this.#move(8)))
    if (marker === 0xd0) return exact(this.#view.getInt8(this.#move(1)))
    if (marker === 0xd1) return exact(this.#view.getInt16(this.#move(2)))
    if (marker === 0xd2) return exact(this.#view.getInt32(this.#move(4)))
    if (marker === 0xd3) return exact(this.#view.getBigInt64(this.#move(8)))
    if (marker < 0xd9) return this.#extension(1 << (marker - 0xd4))
    if (marker < 0xdc) return this.#string(this.#unsigned(1 << (marker - 0xd9)))
    const count = this.#unsigned(2 << (marker & 1))
    return marker < 0xde ? this.#list(count, depth) : this.#map(count, depth)
  }

  #list(count: number, depth: number): Exact {
    const items: Exact[] = []
    for (let at = 0; at < count; at += 1) items.push(this.value(depth + 1))
    return items
  }

  #map(count: number, depth: number): Exact {
    const entries: [string, Exact][] = []
    for (let at = 0; at < count; at += 1) {
      const name = this.value(depth + 1)
      entries.push([typeof name === 'string' ? name : String(name), this.value(depth + 1)])
    }
    return Object.fromEntries(entries)
  }

  #string(length: number): string {
    return this.#text.decode(this.#slice(length))
  }

  #extension(length: number): Exact {
    this.#move(1)
    return bytesOf(this.#slice(length))
  }

  #unsigned(width: number): number {
    const at = this.#move(width)
    if (width === 1) return this.#view.getUint8(at)
    return width === 2 ? this.#view.getUint16(at) : this.#view.getUint32(at)
  }

  #slice(length: number): Uint8Array {
    const at = this.#move(length)
    return this.#bytes.subarray(at, at + length)
  }

  #move(bytes: number): number {
    const at = this.at
    if (at + bytes > this.#bytes.length) throw new RangeError('the bytes end within a value')
    this.at = at + bytes
    return at
  }
}

const exact = (value: number | bigint): LosslessNumber => new LosslessNumber(String(value))

function double(value: number): Exact {
  const text = Object.is(value, -0) ? '-0' : String(value)
  return Number.isFinite(value) ? new LosslessNumber(doubleText(text)) : text
}
