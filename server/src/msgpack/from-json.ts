// Writes JSON of the core as MessagePack. Numbers are read from their digits, so 64-bit integers stay exact.
import { GatewayError } from '../errors.js'
import { bytesHead, countedHead, listHead, packDouble, packNumber, textHead } from './encode.js'
import { say } from '../sentences/sentence.js'

const BYTES = '$bytes'
const NUMBER = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y
const SPACE = /[ \t\r\n]*/y
/** A text without escapes up to its end, or up to the first escape. */
const PLAIN = /[^"\\]*/y

/**
 * `json`: well-formed JSON. A map that has only `$bytes`, a text, becomes bytes. A number with a point is a double.
 *
 * @throws GatewayError `number_out_of_range`
 */
export function packJson(json: string): Buffer {
  const out = new Output(json.length)
  new JsonReader(json, out).value()
  return out.whole()
}

function wholeOf(digits: string): bigint {
  const value = BigInt(digits)
  if (BigInt.asIntN(64, value) === value) return value
  throw new GatewayError(
    'number_out_of_range',
    say('integers have 64 bits, got {given}', { given: digits.slice(0, 40) }),
  )
}

/** Bytes that grow as a whole: a buffer per value would take more memory than the values. */
class Output {
  length = 0
  #bytes: Buffer

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafe(Math.max(capacity, 64))
  }

  add(bytes: Buffer): void {
    this.#grow(bytes.length)
    this.length += bytes.copy(this.#bytes, this.length)
  }

  addText(text: string): void {
    const length = Buffer.byteLength(text)
    this.add(textHead(length))
    this.#grow(length)
    this.length += this.#bytes.write(text, this.length)
  }

  /** Puts bytes in before what was written since `at`. */
  insert(at: number, bytes: Buffer): void {
    this.#grow(bytes.length)
    this.#bytes.copyWithin(at + bytes.length, at, this.length)
    bytes.copy(this.#bytes, at)
    this.length += bytes.length
  }

  whole(): Buffer {
    return this.#bytes.subarray(0, this.length)
  }

  #grow(more: number): void {
    if (this.length + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.length + more))
    this.#bytes.copy(larger, 0, 0, this.length)
    this.#bytes = larger
  }
}

class JsonReader {
  readonly #out: Output
  readonly #json: string
  #at = 0

  constructor(json: string, out: Output) {
    this.#json = json
    this.#out = out
  }

  value(): void {
    this.#take(SPACE)
    const first = this.#json[this.#at]
    if (first === '{') this.#map()
    else if (first === '[') this.#list()
    else if (first === '"') this.#out.addText(this.#text())
    else if (first === 't') this.#word(4, 0xc3)
    else if (first === 'f') this.#word(5, 0xc2)
    else if (first === 'n') this.#word(4, 0xc0)
    else this.#number()
  }

  #map(): void {
    const begin = this.#out.length
    let names = 0
    let isBytes = false
    this.#items('}', () => {
      const name = this.#text()
      this.#take(SPACE)
      this.#at += 1
      this.#take(SPACE)
      names += 1
      isBytes = name === BYTES && names === 1 && this.#bytes()
      if (isBytes) return
      this.#out.addText(name)
      this.value()
    })
    if (!isBytes) this.#out.insert(begin, countedHead(names, 0x80, 0xde))
  }

  /** Writes the value of `$bytes` as bytes if it is a text and nothing comes after it. */
  #bytes(): boolean {
    const start = this.#at
    if (this.#json[start] === '"') {
      const text = this.#text()
      const bytes = Buffer.from(text, 'base64')
      this.#take(SPACE)
      // The core writes no other base64, so this is a map that somebody stored.
      if (this.#json[this.#at] === '}' && bytes.toString('base64') === text) {
        this.#out.add(bytesHead(bytes.length))
        this.#out.add(bytes)
        return true
      }
    }
    this.#at = start
    return false
  }

  #list(): void {
    const begin = this.#out.length
    let items = 0
    this.#items(']', () => {
      items += 1
      this.value()
    })
    this.#out.insert(begin, listHead(items))
  }

  #items(end: string, take: () => void): void {
    do {
      this.#at += 1
      this.#take(SPACE)
      if (this.#json[this.#at] === end) break
      take()
      this.#take(SPACE)
    } while (this.#json[this.#at] === ',')
    this.#at += 1
  }

  #text(): string {
    const start = this.#at
    this.#at += 1
    this.#take(PLAIN)
    if (this.#json[this.#at] === '"') {
      this.#at += 1
      return this.#json.slice(start + 1, this.#at - 1)
    }
    while (this.#json[this.#at] === '\\') {
      this.#at += 2
      this.#take(PLAIN)
    }
    this.#at += 1
    return JSON.parse(this.#json.slice(start, this.#at)) as string
  }

  #number(): void {
    const start = this.#at
    this.#take(NUMBER)
    const digits = this.#json.slice(start, this.#at)
    this.#out.add(/^-?\d+$/.test(digits) ? packNumber(wholeOf(digits)) : packDouble(Number(digits)))
  }

  #word(length: number, marker: number): void {
    this.#at += length
    this.#out.add(Buffer.from([marker]))
  }

  #take(pattern: RegExp): void {
    pattern.lastIndex = this.#at
    this.#at += pattern.exec(this.#json)?.[0].length ?? 0
  }
}
