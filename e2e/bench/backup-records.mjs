// The records of `backup-load`. Each says by its key and version what it must be, so that whoever reads one can tell.
import { randomBytes } from 'node:crypto'

/** Bytes of a value: from this many, up to so many more. */
const [LEAST, MORE] = [1000, 3001]
const POOL = 1 << 16
export const MEAN_BYTES = LEAST + (MORE - 1) / 2

/** @typedef {{ key: number, version: number, sentMs: number, ackedMs: number }} Write */

const pool = randomBytes(POOL)
  .toString('base64url')
  .slice(0, POOL + LEAST + MORE)

/** What the version of a record has as its bins. @param {number} key @param {number} version */
export function binsOf(key, version) {
  let mixed = Math.imul(key ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(version + 1, 0xc2b2ae35)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x27d4eb2f)
  const length = LEAST + ((mixed >>> 4) % MORE)
  const from = (mixed >>> 1) % POOL
  return { version, value: pool.slice(from, from + length) }
}

/** One line of a batch that brings a record to a version; 0 deletes it. @param {number} key @param {number} version */
export const lineOf = (key, version) =>
  version === 0
    ? `{"op":"delete","key":"${key}"}\n`
    : `{"op":"put","key":"${key}","bins":${JSON.stringify(binsOf(key, version))}}\n`

/** The version of each record as its writers know it; 0: it is not there. */
export class Versions {
  /** @param {number} most keys that there may ever be */
  constructor(most) {
    this.of = new Uint16Array(most)
  }

  /** @returns {Uint16Array} */
  copy() {
    return this.of.slice()
  }
}

/**
 * Which versions a backup may have of each record: those that were there at some time between `fromMs` and `toMs`.
 *
 * @param {Uint16Array} before versions when `writes` began @param {readonly Write[]} writes
 * @param {number} fromMs @param {number} toMs
 * @returns {(key: number, version: number) => boolean}
 */
export function currentWithin(before, writes, fromMs, toMs) {
  /** @type {Map<number, Write[]>} */
  const byKey = new Map()
  for (const write of writes) byKey.set(write.key, [...(byKey.get(write.key) ?? []), write])
  return (key, version) => {
    const own = byKey.get(key)
    if (own === undefined) return before[key] === version
    const at = own.findIndex((write) => write.version === version)
    const write = own[at]
    if (write === undefined && before[key] !== version) return false
    const next = own[at + 1]
    return (write === undefined || write.sentMs <= toMs) && (next === undefined || next.ackedMs >= fromMs)
  }
}

/**
 * Reads an export to its end, and says how each record compares with what it may be.
 *
 * @param {AsyncIterable<Uint8Array>} body NDJSON @param {number} keys that there may be
 * @param {(key: number, version: number) => boolean} may also asked about version 0 for what is not there
 * @returns {Promise<{ compared: number, wrong: string[] }>}
 */
export async function compare(body, keys, may) {
  const seen = new Uint8Array(keys)
  /** @type {string[]} */
  const wrong = []
  let compared = 0
  /** @param {string} line */
  const look = (line) => {
    const { key, generation, bins } = JSON.parse(line)
    const number = Number(key)
    compared += 1
    const twice = seen[number] !== 0
    seen[number] = 1
    const { version, value } = binsOf(number, bins?.version)
    // Each version was one write, so the generation counts them.
    const whole = value === bins?.value && generation === version && Object.keys(bins).length === 2
    if (twice || !whole || !may(number, version)) wrong.push(line.slice(0, 120))
  }
  await eachLine(body, look)
  for (let key = 0; key < keys; key += 1) if (seen[key] === 0 && !may(key, 0)) wrong.push(`there is no record ${key}`)
  return { compared, wrong }
}

/** @param {AsyncIterable<Uint8Array>} body @param {(line: string) => void} look */
async function eachLine(body, look) {
  let rest = Buffer.alloc(0)
  for await (const chunk of body) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk])
    let from = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      if (end > from) look(bytes.toString('utf8', from, end))
      from = end + 1
    }
    rest = bytes.subarray(from)
  }
  if (rest.length > 0) look(rest.toString('utf8'))
}
