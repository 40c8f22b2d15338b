// What the values at one place of the records have in common: kinds, extremes, lengths, how many differ, which come most often.
import { createHash } from 'node:crypto'
import type { Counts } from './distinct.js'
import type { Node, ValueKind } from './json-text.js'
import { canonical, type Exact, numberOf } from './number-text.js'

/** Characters of a value that are shown. */
export const SHOWN_MAX = 64
/** Different values that one place keeps. */
const DISTINCT_MAX = 10_000
/** Numbers and lengths that a histogram is made of. */
const DRAWN_MAX = 512
/** Values with a longer text are kept by their hash. */
const KEPT_TEXT = 64
export const SIZE_BOUNDS: readonly number[] = [0, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576]

/** What all places of a profile may keep together. */
export interface Room {
  /** Different values. */
  values: number
  /** Bins and paths. */
  places: number
}

/** JSON text of a value. `cut`: only its beginning. */
export interface Shown {
  json: string
  cut: boolean
}

interface Kept extends Shown {
  count: number
}

export interface Span<T> {
  least: T
  greatest: T
}

const EMPTY_SIZES = SIZE_BOUNDS.map(() => 0)

export class ValueStats {
  /** Values; at a path through lists more than records. */
  seen = 0
  records = 0
  readonly kinds = new Map<ValueKind, number>()
  numbers: Span<Exact> | undefined
  strings: Span<string> | undefined
  lengths: (Span<number> & { total: number; count: number }) | undefined
  bytes = 0
  readonly sizes = [...EMPTY_SIZES]
  readonly drawnNumbers: number[] = []
  readonly drawnLengths: number[] = []
  example: Shown | undefined
  readonly #values = new Map<string, Kept>()
  readonly #room: Room
  #whole = true
  #lastRecord = -1

  constructor(room: Room) {
    this.#room = room
  }

  /** Takes the value at `node` of the record with this number. */
  add(text: string, node: Node, record: number): void {
    this.seen += 1
    if (record !== this.#lastRecord) this.records += 1
    this.#lastRecord = record
    this.kinds.set(node.kind, (this.kinds.get(node.kind) ?? 0) + 1)
    const raw = text.slice(node.start, node.end)
    const bytes = Buffer.byteLength(raw)
    this.bytes += bytes
    const slot = SIZE_BOUNDS.findLastIndex((from) => bytes >= from)
    this.sizes[slot] = (this.sizes[slot] ?? 0) + 1
    this.#take(raw, node)
  }

  get nulls(): number {
    return this.kinds.get('null') ?? 0
  }

  counts(): Counts {
    return {
      seen: this.seen - this.nulls,
      of: [...this.#values.values()].map(({ count }) => count),
      whole: this.#whole,
    }
  }

  /** The most frequent values, most frequent first. */
  top(most: number): (Shown & { count: number })[] {
    const all = [...this.#values.values()].toSorted((a, b) => b.count - a.count)
    return all.slice(0, most)
  }

  #take(raw: string, { kind, size }: Node): void {
    switch (kind) {
      case 'null':
        break
      case 'boolean':
        this.#count(raw, raw)
        break
      case 'integer':
      case 'double': {
        const value = numberOf(raw, kind)
        this.numbers = spanned(this.numbers, value)
        draw(this.drawnNumbers, Number(value))
        this.#count(canonical(value), raw)
        break
      }
      case 'string': {
        const value = JSON.parse(raw) as string
        const shown = value.slice(0, SHOWN_MAX)
        this.strings = spanned(this.strings, shown)
        this.#length(value.length)
        this.#count(raw, value.length > SHOWN_MAX ? JSON.stringify(shown) : raw, value.length > SHOWN_MAX)
        break
      }
      case 'bytes':
        this.#length(Math.floor(((raw.length - '{"$bytes":""}'.length) * 3) / 4))
        this.#count(raw, raw.slice(0, SHOWN_MAX), raw.length > SHOWN_MAX)
        break
      case 'list':
      case 'map':
        this.#length(size)
        this.#count(raw, raw.slice(0, SHOWN_MAX), raw.length > SHOWN_MAX)
        break
    }
  }

  #length(length: number): void {
    const { total, count } = this.lengths ?? { total: 0, count: 0 }
    this.lengths = { ...spanned(this.lengths, length), total: total + length, count: count + 1 }
    draw(this.drawnLengths, length)
  }

  #count(value: string, json: string, cut = false): void {
    this.example ??= { json, cut }
    const key = value.length <= KEPT_TEXT ? value : createHash('sha256').update(value).digest('base64')
    const kept = this.#values.get(key)
    if (kept !== undefined) kept.count += 1
    else if (this.#values.size < DISTINCT_MAX && this.#room.values > 0) {
      this.#room.values -= 1
      this.#values.set(key, { json, cut, count: 1 })
    } else this.#whole = false
  }
}

function spanned<T extends Exact | string>(span: Span<T> | undefined, value: T): Span<T> {
  if (span === undefined) return { least: value, greatest: value }
  return { least: value < span.least ? value : span.least, greatest: value > span.greatest ? value : span.greatest }
}

function draw(drawn: number[], value: number): void {
  if (drawn.length < DRAWN_MAX) drawn.push(value)
}
