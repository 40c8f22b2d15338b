import { keepNames, keptNames } from '../charts/card/view-link'
import type { Range } from '../charts/spec/spec'
import type { Mark } from './frame'

/** Events that are remembered, the newest. */
const MOST = 10_000
/** How the address names the kinds that are switched off. */
const NAME = 'events'

const keyOf = ({ timeMs, kind, text }: Mark): string => `${timeMs} ${kind} ${text}`

/**
 * What happened, for all charts over time. The stream and the histories of pages tell it: each event is kept once,
 * however often it is told.
 */
export class EventLog {
  /** changes with what charts show */
  version = 0
  /** of all events, sorted; the same list until another kind comes */
  kinds: readonly string[] = []
  /** kinds that are switched off, on every chart of the page */
  hidden: readonly string[] = []
  /** whether a chart shows events */
  isWanted = false
  /** oldest first */
  #all: Mark[] = []
  readonly #known = new Set<string>()
  readonly #shown = new Map<string | undefined, readonly Mark[]>()
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Adds events of frames. Charts of frames draw them with the next one; others are told by `add`. */
  note(marks: readonly Mark[]): void {
    const fresh = marks.filter((mark) => !this.#known.has(keyOf(mark)))
    if (fresh.length === 0) return
    const isLater = (fresh[0]?.timeMs ?? 0) >= (this.#all.at(-1)?.timeMs ?? 0)
    for (const mark of fresh) this.#known.add(keyOf(mark))
    this.#all.push(...fresh)
    if (!isLater || fresh.length > 1) this.#all.sort((one, other) => one.timeMs - other.timeMs)
    for (const mark of this.#all.splice(0, Math.max(0, this.#all.length - MOST))) this.#known.delete(keyOf(mark))
    const kinds = [...new Set([...this.kinds, ...fresh.map(({ kind }) => kind)])].toSorted()
    const isNew = kinds.length > this.kinds.length
    if (isNew) this.kinds = kinds
    this.#changed()
    if (isNew) this.#tell()
  }

  /** The same, and charts that no frame draws show them at once. */
  add(marks: readonly Mark[]): void {
    const before = this.version
    this.note(marks)
    if (this.version !== before) this.#tell()
  }

  /** Events of a span of time that are not switched off: those of a namespace and of the server, or all. */
  within({ from, to }: Range, namespace: string | undefined): readonly Mark[] {
    const shown = this.#of(namespace)
    const [first, end] = [placeOf(shown, from), placeOf(shown, to)]
    return first === end ? NONE : shown.slice(first, end)
  }

  hide(kinds: readonly string[]): void {
    this.#hide(kinds)
    keepNames(NAME, kinds)
  }

  /** A chart shows events. What the address switches off stays so. */
  want(): void {
    const kept = keptNames(NAME)
    if (kept.join() !== this.hidden.join()) this.#hide(kept)
    if (this.isWanted) return
    this.isWanted = true
    this.#tell()
  }

  /** The next reader may see other events. */
  forget(): void {
    this.#all = []
    this.#known.clear()
    this.kinds = []
    this.#changed()
    this.#tell()
  }

  #of(namespace: string | undefined): readonly Mark[] {
    let shown = this.#shown.get(namespace)
    if (shown === undefined) {
      const isOf = (mark: Mark): boolean =>
        namespace === undefined || mark.namespace === undefined || mark.namespace === namespace
      shown = this.#all.filter((mark) => !this.hidden.includes(mark.kind) && isOf(mark))
      this.#shown.set(namespace, shown)
    }
    return shown
  }

  #hide(kinds: readonly string[]): void {
    this.hidden = kinds
    this.#changed()
    this.#tell()
  }

  #changed(): void {
    this.version++
    this.#shown.clear()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

const NONE: readonly Mark[] = []

/** The place of the first event at a time or later. */
function placeOf(marks: readonly Mark[], timeMs: number): number {
  let [low, high] = [0, marks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((marks[middle]?.timeMs ?? 0) < timeMs) low = middle + 1
    else high = middle
  }
  return low
}

export const eventLog = new EventLog()
