// Small rows of a file, made from their number alone: as NDJSON, CSV and MessagePack, and read back from an export of each.
// Nothing of a file is kept, so its length does not matter.

/** @typedef {'ndjson' | 'csv' | 'msgpack'} Format */
/** @typedef {{ key: number, type: string, repo: number, score: number, public: boolean }} Row */

export const formats = /** @type {const} */ (['ndjson', 'csv', 'msgpack'])

const TYPES = ['push', 'fork of a "friend", again', 'watch']

/** @param {number} n @returns {Row} */
export const rowOf = (n) => ({
  key: n,
  type: TYPES[n % 3] ?? '',
  repo: 17_000_000 + ((n * 7919) % 5_000_000),
  // Never whole, so that it is a double in each format.
  score: n * 0.25 + 0.125,
  public: n % 5 !== 0,
})

const HEADER = 'key,type,repo,score,public\n'

/** @param {string} text */
const quoted = (text) => `"${text.replaceAll('"', '""')}"`

/** @type {Record<Format, (row: Row, first: boolean) => Buffer | string>} */
const writers = {
  ndjson: (row) => `${JSON.stringify(row)}\n`,
  csv: (row, first) =>
    `${first ? HEADER : ''}${row.key},${quoted(row.type)},${row.repo},${row.score},${String(row.public)}\n`,
  msgpack: packed,
}

/** Rows of one piece of a body. */
const PIECE = 1_000

/** A file of so many rows, a piece at a time. @param {Format} format @param {number} rows @returns {Generator<Buffer>} */
export function* fileOf(format, rows) {
  const write = writers[format]
  for (let from = 0; from < rows; from += PIECE) {
    const length = Math.min(PIECE, rows - from)
    const parts = Array.from({ length }, (_, at) => write(rowOf(from + at), from + at === 0))
    yield format === 'msgpack'
      ? Buffer.concat(parts.map((part) => Buffer.from(part)))
      : Buffer.from(parts.join(''), 'utf8')
  }
}

/** @param {string} text */
const packedText = (text) => Buffer.concat([Buffer.from([0xa0 | text.length]), Buffer.from(text, 'latin1')])
const names = Object.fromEntries(Object.keys(rowOf(0)).map((name) => [name, packedText(name)]))
const types = Object.fromEntries(TYPES.map((type) => [type, packedText(type)]))

/** A map of five fields. @param {Row} row */
function packed(row) {
  /** @param {string} name */
  const name = (name) => names[name] ?? Buffer.alloc(0)
  const numbers = Buffer.alloc(5 + 5 + 9)
  numbers.writeUInt8(0xce, 0)
  numbers.writeUInt32BE(row.key, 1)
  numbers.writeUInt8(0xce, 5)
  numbers.writeUInt32BE(row.repo, 6)
  numbers.writeUInt8(0xcb, 10)
  numbers.writeDoubleBE(row.score, 11)
  return Buffer.concat([
    Buffer.from([0x85]),
    name('key'),
    numbers.subarray(0, 5),
    name('type'),
    types[row.type] ?? packedText(row.type),
    name('repo'),
    numbers.subarray(5, 10),
    name('score'),
    numbers.subarray(10),
    name('public'),
    Buffer.from([row.public ? 0xc3 : 0xc2]),
  ])
}

/** What an export has: each row must be there once, as it was made. Its order does not matter. */
export class Tally {
  /** rows that are as they were made, each counted once */
  found = 0
  /** rows that differ, that nobody made, or that came before */
  wrong = 0
  #seen
  #rows

  /** @param {number} rows */
  constructor(rows) {
    this.#rows = rows
    this.#seen = new Uint8Array(Math.ceil(rows / 8))
  }

  /** @param {unknown} key @param {Record<string, unknown>} bins */
  take(key, bins) {
    const n = typeof key === 'number' && Number.isInteger(key) && key >= 0 && key < this.#rows ? key : -1
    const { type, repo, score, public: open } = rowOf(n)
    const [byte, bit] = [n >> 3, 1 << (n & 7)]
    const isNew = n >= 0 && ((this.#seen[byte] ?? 0) & bit) === 0
    const same = bins['type'] === type && bins['repo'] === repo && bins['score'] === score && bins['public'] === open
    if (!isNew || !same || Object.keys(bins).length !== 4) {
      this.wrong += 1
      return
    }
    this.#seen[byte] = (this.#seen[byte] ?? 0) | bit
    this.found += 1
  }
}

/**
 * Reads an export to its end.
 * @param {Format} format @param {AsyncIterable<Buffer>} body @param {Tally} tally
 */
export async function readExport(format, body, tally) {
  const read = format === 'msgpack' ? new PackedReader(tally) : new LineReader(format, tally)
  for await (const chunk of body) read.take(chunk)
  if (read.left > 0) throw new Error(`the export ends inside a row: ${read.left} bytes are left`)
}

class LineReader {
  #rest = ''
  /** @type {string[] | undefined} */
  #header
  #format
  #tally

  /** @param {'ndjson' | 'csv'} format @param {Tally} tally */
  constructor(format, tally) {
    this.#format = format
    this.#tally = tally
  }

  get left() {
    return this.#rest.length
  }

  /** @param {Buffer} chunk of ASCII */
  take(chunk) {
    const lines = (this.#rest + chunk.toString('latin1')).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#line(line)
  }

  /** @param {string} line */
  #line(line) {
    if (this.#format === 'ndjson') {
      const { key, bins } = JSON.parse(line)
      this.#tally.take(key, bins)
    } else if (this.#header === undefined) this.#header = cellsOf(line)
    else {
      const cells = cellsOf(line)
      const { key, ...bins } = Object.fromEntries(this.#header.map((name, at) => [name, valueOf(cells[at])]))
      this.#tally.take(key, bins)
    }
  }
}

/** Cells of a line, with their quotes. @param {string} line @returns {string[]} */
const cellsOf = (line) => line.match(/"(?:[^"]|"")*"|[^",]+|(?<=,)(?=,|$)/g) ?? []

/** @param {string | undefined} cell */
function valueOf(cell = '') {
  if (cell.startsWith('"')) return cell.slice(1, -1).replaceAll('""', '"')
  if (cell === 'true' || cell === 'false') return cell === 'true'
  const number = Number(cell)
  return cell === '' || Number.isNaN(number) ? cell : number
}

/** Record objects in MessagePack, one after another. */
class PackedReader {
  #bytes = Buffer.alloc(0)
  #at = 0
  #tally

  /** @param {Tally} tally */
  constructor(tally) {
    this.#tally = tally
  }

  get left() {
    return this.#bytes.length
  }

  /** @param {Buffer} chunk */
  take(chunk) {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    let whole = 0
    try {
      for (this.#at = 0; this.#at < this.#bytes.length; whole = this.#at) {
        const { key, bins } = /** @type {{ key: unknown, bins: Record<string, unknown> }} */ (this.#value())
        this.#tally.take(key, bins)
      }
    } catch (error) {
      // The rest of the record comes with the next chunk.
      if (!(error instanceof RangeError)) throw error
    }
    this.#bytes = this.#bytes.subarray(whole)
  }

  /** @param {number} bytes @returns {number} where they begin */
  #step(bytes) {
    const from = this.#at
    this.#at += bytes
    if (this.#at > this.#bytes.length) throw new RangeError('the chunk ends here')
    return from
  }

  /** @returns {unknown} */
  #value() {
    const bytes = this.#bytes
    const marker = bytes.readUInt8(this.#step(1))
    if (marker < 0x80) return marker
    if (marker < 0x90) return this.#map(marker & 0x0f)
    if (marker >= 0xa0 && marker < 0xc0) return this.#text(marker & 0x1f)
    if (marker >= 0xe0) return marker - 0x100
    switch (marker) {
      case 0xc0:
        return null
      case 0xc2:
        return false
      case 0xc3:
        return true
      case 0xca:
        return bytes.readFloatBE(this.#step(4))
      case 0xcb:
        return bytes.readDoubleBE(this.#step(8))
      case 0xcc:
        return bytes.readUInt8(this.#step(1))
      case 0xcd:
        return bytes.readUInt16BE(this.#step(2))
      case 0xce:
        return bytes.readUInt32BE(this.#step(4))
      case 0xcf:
        return Number(bytes.readBigUInt64BE(this.#step(8)))
      case 0xd3:
        return Number(bytes.readBigInt64BE(this.#step(8)))
      case 0xd9:
        return this.#text(bytes.readUInt8(this.#step(1)))
      default:
        throw new Error(`no record has the byte ${marker}`)
    }
  }

  /** @param {number} length */
  #text(length) {
    const from = this.#step(length)
    return this.#bytes.toString('latin1', from, from + length)
  }

  /** @param {number} fields @returns {Record<string, unknown>} */
  #map(fields) {
    return Object.fromEntries(Array.from({ length: fields }, () => [String(this.#value()), this.#value()]))
  }
}
