// Queries that the console ran: `queries/history.ndjson` in the data directory, one per line, oldest first.
import { appendFile, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Check } from 'typebox/value'
import { GatewayError } from '../errors.js'
import { Home } from '../files/home.js'
import { keepAside, moveAside } from '../files/keep-aside.js'
import { Damage, readRegular } from '../files/read-file.js'
import { replaceFile } from '../files/replace-file.js'
import { RanQuery } from '../schemas/records/queries.js'
import type { GatewayNotice } from '../schemas/server/gateway.js'
import { say } from '../sentences/sentence.js'

/** Most queries that are kept. */
const KEPT = 1000
/** Most characters of all requests together, so that long ones do not fill memory. */
const KEPT_TEXT = 8 * 1024 * 1024
/** A larger file is not ours: it has at most twice as many lines as are kept, of 64 KiB of text each. */
const BYTES_MAX = 256 * 1024 * 1024
/** What could not be written is written again after this time. */
const AGAIN_MS = 10_000
/** A notice names so many damaged lines. */
const NAMED_MAX = 3

export class QueryHistory {
  readonly #path: string
  readonly #home: Home
  readonly #failed: (error: unknown) => void
  readonly #againMs: number
  /** Newest first. */
  #items: RanQuery[] = []
  #text = 0
  /** Lines in the file: `#items`, and some that are no longer kept. */
  #lines = 0
  /** Some lines are damaged, and the file has no other name yet. */
  #unkept = false
  /** The file lacks entries: it is written whole, out of `#items`. */
  #behind: GatewayNotice | undefined
  #again: NodeJS.Timeout | undefined
  /** How often it was cleared. */
  #epoch = 0
  /** The end of the last write; writes happen one after the other. */
  #writes: Promise<void> = Promise.resolve()

  /** `failed` gets write errors, because a full disk must not fail a query. */
  constructor(dataDirectory: string, failed: (error: unknown) => void, againMs = AGAIN_MS) {
    this.#path = join(dataDirectory, 'queries', 'history.ndjson')
    this.#home = new Home(dataDirectory)
    this.#failed = failed
    this.#againMs = againMs
  }

  /**
   * Loads the history. A last line that a crash cut off is skipped. Returns what is damaged: a copy of the file is set
   * aside, and what can be read goes on.
   */
  async load(): Promise<{ lost: string[]; damaged: string[] }> {
    try {
      const text = await readRegular(this.#path, BYTES_MAX)
      return { lost: [], damaged: text === undefined ? [] : await this.#take(text) }
    } catch (error) {
      if (!(error instanceof Damage)) throw error
      return { lost: [`${this.#path} is damaged: ${error.message}${await moveAside(this.#path)}`], damaged: [] }
    }
  }

  async #take(text: string): Promise<string[]> {
    const lines = text.split('\n').filter((line) => line !== '')
    const cutOff = !text.endsWith('\n')
    this.#lines = lines.length
    const damaged: number[] = []
    for (const [at, line] of lines.entries()) {
      const item = readItem(line)
      if (item !== undefined) this.#keep(item)
      else if (!cutOff || at < lines.length - 1) damaged.push(at + 1)
    }
    if (damaged.length === 0) {
      // End a cut-off line, so that the next entry does not join it.
      if (text !== '' && cutOff) this.#rewrite()
      return []
    }
    this.#unkept = true
    const aside = await this.#keepAside().catch(() => undefined)
    // Without the damaged lines, so that the next start does not find them again.
    this.#rewrite()
    const which = `${damaged.length === 1 ? 'line' : 'lines'} ${damaged.slice(0, NAMED_MAX).join(', ')}`
    const more = damaged.length > NAMED_MAX ? ` and ${damaged.length - NAMED_MAX} more` : ''
    const where =
      aside === undefined ? 'nothing is written over it until it can be set aside' : `it is kept as ${aside}`
    return [`${this.#path} is damaged in ${which}${more}; ${where}`]
  }

  async #keepAside(): Promise<string | undefined> {
    const aside = await keepAside(this.#path)
    this.#unkept = false
    return aside
  }

  list(): readonly RanQuery[] {
    return this.#items
  }

  add(item: RanQuery): void {
    this.#keep(item)
    // The next try writes all of them.
    if (this.#behind !== undefined) return
    this.#lines += 1
    if (this.#lines > 2 * KEPT) return this.#rewrite()
    this.#write(async () => {
      if (this.#behind !== undefined) return
      await mkdir(dirname(this.#path), { recursive: true })
      await appendFile(this.#path, `${JSON.stringify(item)}\n`)
    })
  }

  /**
   * Deletes all entries. Returns their number.
   *
   * @throws GatewayError `data_directory_unavailable` if another directory replaced ours, or the file cannot be removed
   */
  clear(): Promise<number> {
    const cleared = this.#writes.then(async () => {
      await this.#home.check()
      await rm(this.#path, { force: true }).catch((error: unknown) => {
        throw new GatewayError(
          'data_directory_unavailable',
          say('{path} cannot be removed: {why}', { path: this.#path, why: (error as Error).message }),
        )
      })
      // With those that came meanwhile, whose turn to be written is later.
      this.#epoch += 1
      const { length } = this.#items
      this.#items = []
      this.#text = 0
      this.#lines = 0
      this.#behind = undefined
      clearTimeout(this.#again)
      return length
    })
    this.#writes = cleared.then(
      () => undefined,
      () => undefined,
    )
    return cleared
  }

  /** What is not on the disk yet, in a sentence. */
  notices(): GatewayNotice[] {
    return this.#behind === undefined ? [] : [this.#behind]
  }

  /** Resolves when everything is written, or could not be. */
  close(): Promise<void> {
    if (this.#behind !== undefined) this.#rewrite()
    this.#writes = this.#writes.then(() => clearTimeout(this.#again))
    return this.#writes
  }

  #keep(item: RanQuery): void {
    this.#items.unshift(item)
    this.#text += item.request.length
    while (this.#items.length > KEPT || this.#text > KEPT_TEXT) this.#text -= this.#items.pop()?.request.length ?? 0
  }

  /** Replaces the file by the kept entries, atomically. */
  #rewrite(): void {
    clearTimeout(this.#again)
    const lines = this.#items.toReversed().map((item) => `${JSON.stringify(item)}\n`)
    this.#lines = lines.length
    const [newest] = this.#items
    this.#write(async () => {
      if (this.#unkept) await this.#keepAside()
      await mkdir(dirname(this.#path), { recursive: true })
      await replaceFile(this.#path, lines.join(''))
      if (this.#behind === undefined) return
      // What came meanwhile waits for the next one.
      if (this.#items[0] !== newest) return this.#rewrite()
      this.#behind = undefined
    })
  }

  /** One after the other. What a `clear` came before is not written any more. */
  #write(work: () => Promise<void>): void {
    const [before, epoch] = [this.#writes, this.#epoch]
    const write = async (): Promise<void> => {
      await before
      if (epoch !== this.#epoch) return
      try {
        await this.#home.check()
        await work()
      } catch (error) {
        this.#unwritten(error)
      }
    }
    this.#writes = write()
  }

  #unwritten(error: unknown): void {
    this.#failed(error)
    const message = `queries of the history are in memory only: ${(error as Error).message}`
    this.#behind ??= { code: 'queries_not_written', message, since: new Date().toISOString() }
    clearTimeout(this.#again)
    this.#again = setTimeout(() => this.#rewrite(), this.#againMs).unref()
  }
}

function readItem(line: string): RanQuery | undefined {
  try {
    const item: unknown = JSON.parse(line)
    return Check(RanQuery, item) ? item : undefined
  } catch {
    return undefined
  }
}
