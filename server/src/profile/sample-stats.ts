// The records of a sample, bin by bin, in bounded memory.
import { type Bounds, membersAt, type Node } from './json-text.js'
import { BinStats, PATH_DEPTH } from './place-stats.js'
import type { Room } from './value-stats.js'

/** A longer record is counted, and its bins are not looked at. */
export const RECORD_TEXT_MAX = 1024 * 1024
const BINS_MAX = 1000
const VALUES_MAX = 100_000
const PATHS_MAX = 2000

/** What is looked at inside a bin. */
const INSIDE: Bounds = { depth: PATH_DEPTH, members: 200, items: 20 }
/** Members of a record object beside its bins, and room for more. */
const PARTS = 16
const SHALLOW: Bounds = { depth: 0, members: 0, items: 0 }

export class SampleStats {
  records = 0
  damaged = 0
  tooLarge = 0
  /** Bins by name beyond those that are kept, once for each record that has one. */
  otherBins = 0
  readonly #bins = new Map<string, BinStats>()
  readonly #room: Room = { values: VALUES_MAX, places: PATHS_MAX }

  /** Takes a line of a scan: a record, or that one cannot be read. */
  add(line: Buffer): void {
    if (line.length > RECORD_TEXT_MAX) {
      this.records += 1
      this.tooLarge += 1
      return
    }
    const text = line.toString()
    const parts = new Map(membersAt(text, 0, PARTS, SHALLOW).members)
    if (parts.has('error')) {
      this.damaged += 1
      return
    }
    const record = this.records
    this.records += 1
    const bins = parts.get('bins')
    if (bins !== undefined) this.#addBins(text, bins, record)
  }

  bins(): BinStats[] {
    return [...this.#bins.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  #addBins(text: string, { start }: Node, record: number): void {
    const { members } = membersAt(text, start, Infinity, INSIDE)
    for (const [name, node] of members) {
      let bin = this.#bins.get(name)
      if (bin === undefined) {
        if (this.#bins.size >= BINS_MAX) {
          this.otherBins += 1
          continue
        }
        bin = new BinStats(name, this.#room)
        this.#bins.set(name, bin)
      }
      bin.add(text, node, record)
    }
  }
}
