import type { RecordPage } from '../../../records/client'
import type { Heard } from '../../../records/found'
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

const UNREAD: Readonly<Page> = {
  start: 0,
  length: 0,
  cursor: undefined,
  items: undefined,
  fresh: true,
  last: undefined,
}

/** Reads the page at a cursor. Somebody may hear of it before it is whole. */
export type ReadPage = (cursor: string | undefined, signal: AbortSignal, heard: Heard) => Promise<RecordPage>

/** The name of a record in a list. */
export const digestOf = (record: Exact): string =>
  damageOf(record)?.digest ?? (isExactObject(record) ? String(record['digest']) : '')

/**
 * A window over all records of a set. The server gives them in pages, each with a cursor to the next. All cursors are
 * held, and the records of the pages near the view.
 */
export class RecordWindow {
  readonly #read: ReadPage
  readonly #listeners = new Set<() => void>()
  #closed = false
  #stopped = false
  /** whether somebody else reads the first page */
  #begun = false
  #pages: Page[] = []
  #view = { first: 0, last: 0 }
  /** of the page that is being read */
  #own: AbortController | undefined
  #job: string | undefined
  #error: unknown
  #version = 0
  /** the first page as it was taken last */
  #taken: RecordPage | undefined

  /** `first`: the first page, if it was read before. */
  constructor(read: ReadPage, first?: RecordPage) {
    this.#read = read
    if (first !== undefined) this.#begin(first)
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

  /** Whether a page is being read. */
  get reading(): boolean {
    return this.#own !== undefined
  }

  /** Whether the reader has stopped it. */
  get stopped(): boolean {
    return this.#stopped
  }

  /** The job of the page that is being read, if it is known. */
  get job(): string | undefined {
    return this.#job
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

  /** Hears of the first page while somebody else reads it. */
  readonly first: Heard = {
    onPart: (items) => {
      this.#begun = true
      const [known] = this.#pages
      if (known?.last !== undefined) return
      this.#pages = [{ ...UNREAD, items, length: items.length }]
      this.#changed()
    },
    onJob: (id) => this.#work(id),
  }

  /** Takes the first page as it was read just now. All others may have changed. */
  take(first: RecordPage): void {
    if (first === this.#taken) return
    this.#error = undefined
    this.#stopped = false
    this.#begun = false
    this.#job = undefined
    this.#begin(first)
    this.#changed()
    this.#fill()
  }

  #begin(first: RecordPage): void {
    const [known] = this.#pages
    const page: Page = known ?? { ...UNREAD }
    for (const other of this.#pages) other.fresh = false
    if (known === undefined) this.#pages = [page]
    this.#taken = first
    this.#put(0, page, first)
  }

  /** Says which rows are in view, and reads what they lack. */
  readonly see = (first: number, last: number): void => {
    this.#view = { first, last }
    this.#fill()
  }

  /** Reads on after an error, or after it was stopped. */
  readonly retry = (): void => {
    this.#error = undefined
    this.#stopped = false
    this.#changed()
    this.#fill()
  }

  /** Ends what is being read, and reads nothing more by itself. What was found stays. */
  readonly stop = (): void => {
    this.#stopped = true
    this.#job = undefined
    this.#end()
    this.#changed()
  }

  /** Reads from now on; the answer ends what is being read. */
  open(): () => void {
    this.#closed = false
    this.#fill()
    return () => {
      this.#closed = true
      this.#end()
    }
  }

  #end(): void {
    this.#own?.abort()
    this.#own = undefined
  }

  #work(id: string): void {
    this.#job = id
    this.#changed()
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
    if (this.#closed || this.#stopped || this.#begun || this.#own !== undefined || this.#error !== undefined) return
    const at = this.#wanted()
    const page = this.#pages[at]
    if (page !== undefined) void this.#readPage(at, page)
  }

  async #readPage(at: number, page: Page): Promise<void> {
    const own = new AbortController()
    this.#own = own
    const isMine = (): boolean => !own.signal.aborted && this.#pages[at] === page
    const heard: Heard = {
      onPart: (items) => {
        // A page that was there already keeps its records until it is read again whole.
        if (!isMine() || page.last !== undefined) return
        Object.assign(page, { items, length: items.length })
        this.#changed()
      },
      onJob: (id) => {
        if (isMine()) this.#work(id)
      },
    }
    try {
      const answer = await this.#read(page.cursor, own.signal, heard)
      if (own.signal.aborted) return
      // While it was read, the pages before it may have changed.
      if (isMine()) this.#put(at, page, answer)
    } catch (error) {
      if (own.signal.aborted) return
      this.#error = error
    }
    this.#own = undefined
    this.#job = undefined
    // The next page begins at once, so nobody hears of a pause between them.
    this.#fill()
    this.#changed()
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
