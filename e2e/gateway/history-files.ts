// Reads the files of the history as docs/on-disk-format.md describes them: the raw histograms, without the product's code.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { boundNs, BUCKETS, type Counts, TARGETS_NS } from './histogram.ts'

/** A second, or a longer step of the history. */
export interface Point {
  /** numbers of its oldest and its newest frame */
  readonly first: number
  readonly seq: number
  /** when it ended, and how long it was */
  readonly timeMs: number
  readonly durationMs: number
  /** by namespace, operation, outcome and side */
  readonly latency: ReadonlyMap<string, Counts>
}

const FILE_HEADER_BYTES = 28
const BLOCK_HEADER_BYTES = 44
const operations = ['get', 'put', 'update', 'delete', 'batch', 'scan', 'query', 'index-lookup']
const outcomes = ['ok', 'error']
const sides = ['engine', 'gateway']

/** For each cell its bucket, and the number of targets below all of it. A bucket that holds a target is two cells. */
const cells = Array.from({ length: BUCKETS }, (_, bucket) => bucket).flatMap((bucket) => {
  const [from, to] = [bucket === 0 ? 0 : boundNs(bucket), boundNs(bucket + 1)]
  const below = TARGETS_NS.filter((target) => target < from).length
  const cut = TARGETS_NS.some((target) => target >= from && target < to)
  return cut
    ? [
        { bucket, below },
        { bucket, below: below + 1 },
      ]
    : [{ bucket, below }]
})
const OVERFLOW_CELL = cells.length

/** The points of a tier, oldest first. */
export function pointsOf(home: string, tierSeconds: number): Point[] {
  const folder = join(home, 'data', 'history')
  const prefix = `${String(tierSeconds).padStart(5, '0')}-`
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix))
  return names.sort().flatMap((name) => pointsIn(readFileSync(join(folder, name)), tierSeconds))
}

function pointsIn(file: Buffer, tierSeconds: number): Point[] {
  const head = [file.toString('latin1', 0, 8), file.readUInt32LE(8), file.readUInt32LE(12)]
  if (String(head) !== `TESSHIST,2,${tierSeconds}`) throw new Error(`no file of the history: ${String(head)}`)
  const points: Point[] = []
  // A kill may have cut the last block off.
  for (let at = FILE_HEADER_BYTES; at + BLOCK_HEADER_BYTES <= file.length;) {
    if (file.toString('latin1', at, at + 4) !== 'TsHp') throw new Error(`no block at ${at}`)
    const end = at + BLOCK_HEADER_BYTES + file.readUInt32LE(at + 8)
    if (end > file.length) break
    const number = (place: number): number => Number(file.readBigUInt64LE(at + place))
    points.push({
      first: number(12),
      seq: number(20),
      timeMs: number(28),
      durationMs: number(36) / 1e6,
      latency: latencyOf(new Numbers(file.subarray(at + BLOCK_HEADER_BYTES, end))),
    })
    at = end
  }
  return points
}

function latencyOf(from: Numbers): Map<string, Counts> {
  const PROCESS_AND_MEMORY = 9
  for (let n = 0; n < PROCESS_AND_MEMORY; n += 1) from.big()
  const names = Array.from({ length: from.next() }, () => from.text())
  return new Map(
    Array.from({ length: from.next() }, () => {
      const [name, series] = [names[from.next()], from.next()]
      const words = [name, operations[series >> 2], outcomes[(series >> 1) & 1], sides[series & 1]]
      return [words.join(' '), countsOf(from)]
    }),
  )
}

function countsOf(from: Numbers): Counts {
  const [sumNs, low, high, maxNs] = [from.big(), from.big(), from.big(), from.next()]
  const packed = new Numbers(from.bytes(from.next()))
  const buckets = new Map<number, number>()
  const slo = TARGETS_NS.map(() => 0)
  let [cell, count, overflow] = [0, 0, 0]
  while (!packed.isAtEnd) {
    cell += packed.next()
    const operationsIn = packed.next()
    count += operationsIn
    if (cell === OVERFLOW_CELL) overflow = operationsIn
    const place = cells[cell]
    if (place === undefined) continue
    buckets.set(place.bucket, (buckets.get(place.bucket) ?? 0) + operationsIn)
    for (let target = place.below; target < slo.length; target += 1) slo[target] = (slo[target] ?? 0) + operationsIn
  }
  return { count, sumNs, sumSquaresNs: (high << 64n) | low, maxNs, overflow, slo, buckets }
}

/** A row of LEB128 numbers. */
class Numbers {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  big(): bigint {
    let number = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#bytes.readUInt8(this.#at++)
      number |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return number
    }
  }

  next(): number {
    return Number(this.big())
  }

  bytes(length: number): Buffer {
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  text(): string {
    return this.bytes(this.next()).toString()
  }
}
