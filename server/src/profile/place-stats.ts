// A bin of the sampled records, and the places inside its JSON.
import type { Node } from './json-text.js'
import { type Room, ValueStats } from './value-stats.js'

/** Levels below a bin that paths lead into. */
export const PATH_DEPTH = 6
/** Paths of one bin. */
const PATHS_MAX = 100

/** A key of a map, or any item of a list. */
export type Step = { key: string } | 'item'

export interface Place {
  readonly steps: readonly Step[]
  readonly stats: ValueStats
}

export class BinStats {
  readonly name: string
  readonly stats: ValueStats
  readonly #places = new Map<string, Place>()
  readonly #room: Room
  /** Values at paths beyond those that are kept. */
  others = 0

  constructor(name: string, room: Room) {
    this.name = name
    this.stats = new ValueStats(room)
    this.#room = room
  }

  add(text: string, node: Node, record: number): void {
    this.stats.add(text, node, record)
    this.#inside(text, node, record, [])
  }

  /** By path, those above before those below. */
  places(): Place[] {
    return [...this.#places.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, place]) => place)
  }

  #inside(text: string, node: Node, record: number, steps: readonly Step[]): void {
    if (steps.length >= PATH_DEPTH) return
    for (const [key, value] of node.members) this.#at(text, value, record, [...steps, { key }])
    for (const item of node.items) this.#at(text, item, record, [...steps, 'item'])
  }

  #at(text: string, node: Node, record: number, steps: readonly Step[]): void {
    const name = pathText(steps)
    let place = this.#places.get(name)
    if (place === undefined) {
      if (this.#places.size >= PATHS_MAX || this.#room.places <= 0) {
        this.others += 1
        return
      }
      this.#room.places -= 1
      place = { steps, stats: new ValueStats(this.#room) }
      this.#places.set(name, place)
    }
    place.stats.add(text, node, record)
    this.#inside(text, node, record, steps)
  }
}

/** Whether keys can be joined by dots, and mean themselves. */
const isPlain = (key: string): boolean => key !== '*' && /^[^.[\]]+$/.test(key)

/** As `path` of a filter is written: joined by dots, or a list in JSON if a key has a dot or a bracket. */
export function pathText(steps: readonly Step[]): string {
  if (!steps.every((step) => step === 'item' || isPlain(step.key)))
    return JSON.stringify(steps.map((step) => (step === 'item' ? '*' : step.key)))
  return steps.reduce<string>((path, step) => {
    if (step === 'item') return `${path}[*]`
    return path === '' ? step.key : `${path}.${step.key}`
  }, '')
}

/** Whether a range index can have it as its path. */
export const isIndexable = (steps: readonly Step[]): boolean =>
  steps.every((step) => step !== 'item' && isPlain(step.key))
