import { type Exact, isExactObject, isIntegerText, LosslessNumber } from './json'

/** A record object in MessagePack, exact as its JSON. */
export function packed(record: Exact): Uint8Array<ArrayBuffer> {
  const out = new Packer()
  out.record(record)
  return out.bytes()
}

const UTF8 = new TextEncoder()

class Packer {
  #bytes = new Uint8Array(1024)
  #length = 0

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length)
  }

  /** Its key has another form for bytes than its bins. */
  record(record: Exact): void {
    if (!isExactObject(record)) return this.value(record)
    this.#head(0x80, 0xde, Object.keys(record).length)
    for (const [name, value] of Object.entries(record)) {
      this.value(name)
      const key = name === 'key' && isExactObject(value) ? value['bytes'] : undefined
      if (typeof key === 'string') this.#binary(key)
      else this.value(value)
    }
  }

  value(value: Exact): void {
    if (value === null) return this.#byte(0xc0)
    if (typeof value === 'boolean') return this.#byte(value ? 0xc3 : 0xc2)
    if (typeof value === 'string') return this.#text(value)
    if (value instanceof LosslessNumber) return this.#number(value.toString())
    if (Array.isArray(value)) {
      this.#head(0x90, 0xdc, value.length)
      for (const item of value) this.value(item)
      return undefined
    }
    const members = Object.entries(value)
    const [first] = members
    if (members.length === 1 && first?.[0] === '$bytes' && typeof first[1] === 'string') return this.#binary(first[1])
    this.#head(0x80, 0xde, members.length)
    for (const [name, member] of members) {
      this.value(name)
      this.value(member)
    }
  }

  /** The marker of a list or map: with its length inside, or in two or four bytes after it. */
  #head(short: number, long: number, length: number): void {
    if (length < 16) return this.#byte(short | length)
    const wide = length > 0xffff
    this.#byte(wide ? long + 1 : long)
    this.#sized(length, wide ? 4 : 2)
  }

  #text(text: string): void {
    const bytes = UTF8.encode(text)
    if (bytes.length < 32) this.#byte(0xa0 | bytes.length)
    else this.#long(0xd9, bytes.length)
    this.#put(bytes)
  }

  #binary(base64: string): void {
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))
    this.#long(0xc4, bytes.length)
    this.#put(bytes)
  }

  /** A marker that has a length in one, two or four bytes. */
  #long(marker: number, length: number): void {
    const size = length < 0x100 ? 1 : length < 0x10000 ? 2 : 4
    this.#byte(marker + Math.log2(size))
    this.#sized(length, size)
  }

  #number(text: string): void {
    const eight = new DataView(new ArrayBuffer(9))
    if (isIntegerText(text)) {
      eight.setUint8(0, 0xd3)
      eight.setBigInt64(1, BigInt(text))
    } else {
      eight.setUint8(0, 0xcb)
      eight.setFloat64(1, Number(text))
    }
    this.#put(new Uint8Array(eight.buffer))
  }

  #sized(value: number, size: 1 | 2 | 4): void {
    const bytes = new DataView(new ArrayBuffer(4))
    bytes.setUint32(0, value)
    this.#put(new Uint8Array(bytes.buffer, 4 - size))
  }

  #byte(value: number): void {
    this.#put(Uint8Array.of(value))
  }

  #put(bytes: Uint8Array): void {
    const wanted = this.#length + bytes.length
    if (wanted > this.#bytes.length) {
      const more = new Uint8Array(Math.max(wanted, this.#bytes.length * 2))
      more.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = more
    }
    this.#bytes.set(bytes, this.#length)
    this.#length = wanted
  }
}
