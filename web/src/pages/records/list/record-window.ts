import type { RecordPage } from '../../../records/client'
import { type Exact, isExactObject } from '../../../records/json'
import { damageOf } from '../../../records/key'

/** Most pages whose records are held; those far from the view are read again when it comes back. */
const HELD = 15
/** How many rows after the view are read before they are needed. */
const AHEAD = 400
/** Rows that stand for what has not been read yet. */
const COMING = 40

interface Page {
  /** index of its first record */
  start: number
  length: number
  cursor: string | undefined
  /** unset: not held */
  items: readonly Exact[] | undefined
  /** whether it was read since the records changed */
  fresh: boolean
  /** digest of its last record */
  last: string | undefined
}

/** The name of a record in a list. */
export const digestOf = (record: Exact): string =>
  damageOf(record)?.digest ?? (isExactObject(record) ? String(record['digest']) : '')

/**
 * A window over all records of a set. The server gives them in pages, each with a cursor to the next. All cursors are
 * held, and the records of the pages near the view.
 */
export class RecordWindow {
  readonly #read: (cursor: string | undefined, signal: AbortSignal) => Promise<RecordPage>
  readonly #listeners = new Set<() => void>()
  #closed = new AbortController()
  #pages: Page[] = []
  #view = { first: 0, last: 0 }
  #reading = false
  #error: unknown
  #version = 0

  constructor(read: (cursor: string | undefined, signal: AbortSignal) => Promise<RecordPage>) {
    this.#read = read
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Another number whenever it shows something else. */
  readonly version = (): number => this.#version

  /** Number of records up to the end of the last page that was read. */
  get known(): number {
    const last = this.#pages.at(-1)
    return last === undefined ? 0 : last.start + last.length
  }

  /** Whether the last record is known. */
  get whole(): boolean {
    return this.#pages.at(-1)?.last !== undefined
  }

  /** Rows of a table, with some for what is still to come. */
  get count(): number {
    return this.known + (this.whole || this.#pages.length === 0 ? 0 : COMING)
  }

  /** Why the reading stopped. */
  get error(): unknown {
    return this.#error
  }

  at(index: number): Exact | undefined {
    const page = this.#pages[this.#pageOf(index)]
    return page?.items?.[index - page.start]
  }

  /** The records that are held. */
  held(): Exact[] {
    return this.#pages.flatMap(({ items }) => items ?? [])
  }

  indexOf(digest: string, near: number): number {
    const page = this.#pages[this.#pageOf(near)]
    const at = page?.items?.findIndex((record) => digestOf(record) === digest) ?? -1
    return page === undefined || at === -1 ? -1 : page.start + at
  }

  /** Takes the first page as it was read just now. All others may have changed. */
  take(first: RecordPage): void {
    const [known] = this.#pages
    const page: Page = known ?? {
      start: 0,
      length: 0,
      cursor: undefined,
      items: undefined,
      fresh: true,
      last: undefined,
    }
    for (const other of this.#pages) other.fresh = false
    if (known === undefined) this.#pages = [page]
    this.#error = undefined
    this.#put(0, page, first)
    this.#changed()
    this.#fill()
  }

  /** Says which rows are in view, and reads what they lack. */
  readonly see = (first: number, last: number): void => {
    this.#view = { first, last }
    this.#fill()
  }

  /** Reads on after an error. */
  readonly retry = (): void => {
    this.#error = undefined
    this.#changed()
    this.#fill()
  }

  /** Reads from now on; the answer ends what is being read. */
  open(): () => void {
    const closed = new AbortController()
    this.#closed = closed
    this.#reading = false
    this.#fill()
    return () => closed.abort()
  }

  #pageOf(index: number): number {
    let [low, high] = [0, this.#pages.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#pages[middle]?.start ?? 0) <= index) low = middle
      else high = middle
    }
    return low
  }

  /** The page to read next: one in view first, then those after it that were never read. */
  #wanted(): number {
    const { first, last } = this.#view
    for (let at = this.#pageOf(first); at < this.#pages.length; at++) {
      const page = this.#pages[at]
      if (page === undefined || page.start > last + AHEAD) return -1
      const unread = page.last === undefined
      if (unread || (page.start <= last && (!page.fresh || page.items === undefined))) return at
    }
    return -1
  }

  #fill(): void {
    const at = this.#wanted()
    const page = this.#pages[at]
    if (page === undefined || this.#reading || this.#error !== undefined || this.#closed.signal.aborted) return
    this.#reading = true
    void this.#readPage(at, page)
  }

  async #readPage(at: number, page: Page): Promise<void> {
    const { signal } = this.#closed
    try {
      const answer = await this.#read(page.cursor, signal)
      if (signal.aborted) return
      // While it was read, the pages before it may have changed.
      if (this.#pages[at] === page) this.#put(at, page, answer)
    } catch (error) {
      if (signal.aborted) return
      this.#error = error
    }
    this.#reading = false
    this.#changed()
    this.#fill()
  }

  #put(at: number, page: Page, { items, cursor }: RecordPage): void {
    const final = items.at(-1)
    const last = final === undefined ? '' : digestOf(final)
    // If it ends elsewhere than before, the next page begins elsewhere.
    const same =
      page.last === last && page.length === items.length && (cursor !== undefined) === at + 1 < this.#pages.length
    Object.assign(page, { items, length: items.length, fresh: true, last })
    if (!same) {
      const next = { start: page.start + items.length, length: 0, items: undefined, fresh: true, last: undefined }
      this.#pages = [...this.#pages.slice(0, at + 1), ...(cursor === undefined ? [] : [{ ...next, cursor }])]
    }
    this.#leave()
  }

  /** Lets go of the records of pages that are far from the view. */
  #leave(): void {
    const held = this.#pages.filter(({ items }) => items !== undefined)
    if (held.length <= HELD) return
    const far = ({ start, length }: Page): number =>
      Math.max(this.#view.first - start - length, start - this.#view.last, 0)
    for (const page of held.toSorted((a, b) => far(b) - far(a)).slice(0, held.length - HELD)) page.items = undefined
  }

  #changed(): void {
    this.#version++
    for (const listener of this.#listeners) listener()
  }
}
