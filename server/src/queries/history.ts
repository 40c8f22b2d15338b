// Queries that the console ran: `queries/history.ndjson` in the data directory, one per line, oldest first.
import { appendFile, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { moveAside } from '../files/keep-aside.js'
import { Damage, readRegular } from '../files/read-file.js'
import { replaceFile } from '../files/replace-file.js'
import type { RanQuery } from '../schemas/records/queries.js'

/** Most queries that are kept. */
const KEPT = 1000
/** Most characters of all requests together, so that long ones do not fill memory. */
const KEPT_TEXT = 8 * 1024 * 1024
/** A larger file is not ours: it has at most twice as many lines as are kept, of 64 KiB of text each. */
const BYTES_MAX = 256 * 1024 * 1024

export class QueryHistory {
  readonly #path: string
  readonly #failed: (error: unknown) => void
  /** Newest first. */
  #items: RanQuery[] = []
  #text = 0
  /** Lines in the file: `#items`, and some that are no longer kept. */
  #lines = 0
  /** The end of the last write; writes happen one after the other. */
  #writes: Promise<void> = Promise.resolve()

  /** `failed` gets write errors, because a full disk must not fail a query. */
  constructor(dataDirectory: string, failed: (error: unknown) => void) {
    this.#path = join(dataDirectory, 'queries', 'history.ndjson')
    this.#failed = failed
  }

  /** Loads the history; skips a line that a crash cut off. Returns why there is none; the file is set aside. */
  async load(): Promise<string[]> {
    const damages: string[] = []
    const text = await readRegular(this.#path, BYTES_MAX).catch(async (error: unknown) => {
      if (!(error instanceof Damage)) throw error
      damages.push(`${this.#path} is damaged: ${error.message}${await moveAside(this.#path)}`)
      return undefined
    })
    if (text !== undefined) this.#take(text)
    return damages
  }

  #take(text: string): void {
    const lines = text.split('\n').filter((line) => line !== '')
    this.#lines = lines.length
    for (const line of lines) {
      const item = readItem(line)
      if (item !== undefined) this.#keep(item)
    }
    // End a cut-off line, so that the next entry does not join it.
    if (text !== '' && !text.endsWith('\n')) this.#rewrite()
  }

  list(): readonly RanQuery[] {
    return this.#items
  }

  add(item: RanQuery): void {
    this.#keep(item)
    this.#lines += 1
    if (this.#lines > 2 * KEPT) return this.#rewrite()
    this.#write(async () => {
      await mkdir(dirname(this.#path), { recursive: true })
      await appendFile(this.#path, `${JSON.stringify(item)}\n`)
    })
  }

  /** Deletes all entries. Returns their number. */
  clear(): number {
    const { length } = this.#items
    this.#items = []
    this.#text = 0
    this.#lines = 0
    this.#write(() => rm(this.#path, { force: true }))
    return length
  }

  /** Resolves when everything is written. */
  close(): Promise<void> {
    return this.#writes
  }

  #keep(item: RanQuery): void {
    this.#items.unshift(item)
    this.#text += item.request.length
    while (this.#items.length > KEPT || this.#text > KEPT_TEXT) this.#text -= this.#items.pop()?.request.length ?? 0
  }

  /** Replaces the file by the kept entries, atomically. */
  #rewrite(): void {
    const lines = this.#items.toReversed().map((item) => `${JSON.stringify(item)}\n`)
    this.#lines = lines.length
    this.#write(async () => {
      await replaceFile(this.#path, lines.join(''))
    })
  }

  #write(work: () => Promise<void>): void {
    this.#writes = this.#writes.then(work).catch(this.#failed)
  }
}

function readItem(line: string): RanQuery | undefined {
  try {
    const item = JSON.parse(line) as RanQuery
    return typeof item.id === 'string' && typeof item.request === 'string' ? item : undefined
  } catch {
    return undefined
  }
}
