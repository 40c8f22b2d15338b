// The audit log: lines are appended in order, and are on the disk (fsync, one for all that wait) before anybody is told so.
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { GatewayError } from '../errors.js'
import { Home } from '../files/home.js'
import { syncFolder } from '../files/sync-folder.js'
import type { GatewayNotice } from '../schemas/server/gateway.js'
import { type Facts, type Kind, lineAfter, type Link, ORIGIN, readLine } from './line.js'
import { Reserve } from './reserve.js'
import { FOLDER, headPath, headText, lastLine, listSegments, nameOf, type Segment, segmentPath } from './segments.js'
import { type Begun, type KnownDamage, readTail } from './tail.js'
import { tornFiles } from './torn.js'
import type { Removed } from './verify.js'
import { say } from '../sentences/sentence.js'

const SEGMENT_BYTES = 16 * 1024 * 1024
/** Bytes of lines that are written at once, and entries that may wait for it. */
const BATCH_BYTES = 1024 * 1024
const WAITING_MAX = 1024
/** Outcomes that could not be written and are kept in memory. */
const KEPT_MAX = 1000
/** What could not be written is tried again after this time. Old files are looked for after the longer one. */
const AGAIN_MS = 10_000
/** Changes under way that the first line of a file names. */
const BEGUN_MAX = 50
const DAMAGES_MAX = 20
const EXPIRE_MS = 3_600_000
const DAY_MS = 86_400_000

export interface LogOptions {
  /** Days that a file is kept after its last entry. Unset: for ever. */
  keepDays?: number | undefined
  /** Bytes of all files above which there is a notice. */
  noticeBytes?: number
  segmentBytes?: number
  warn: (error: unknown, message: string) => void
  /** Hears each line that is on the disk, without its line feed. */
  written?: ((line: string) => void) | undefined
  /** How bytes get to the disk; a test has one that fails. */
  write?: (file: FileHandle, bytes: Buffer, at: number) => Promise<void>
}

interface Waiting {
  kind: Kind
  facts: Facts
  /** An intent is refused if it cannot be written. Anything else is kept, to be written later. */
  refuse?: (error: unknown) => void
  /** It is about what makes room on a full disk. */
  frees?: boolean
  done: (seq: number) => void
}

export class AuditLog {
  readonly directory: string
  readonly #home: Home
  readonly #options: LogOptions
  readonly #segmentBytes: number
  readonly #write: NonNullable<LogOptions['write']>
  #file: FileHandle | undefined
  #inode = 0n
  #segment = 0
  /** Those of the last file that are on the disk. */
  #bytes = 0
  /** Those of the files before it. */
  #earlierBytes = 0
  #last: Link = ORIGIN
  #begun: Begun = new Map()
  #removed: Removed | undefined
  /** What the first line of the next file has to tell. */
  #damages: string[] = []
  /** What the first line of a file has told, this one or one before it. */
  #known: KnownDamage | undefined
  #waiting: Waiting[] = []
  /** Entries that are in no file, and changes that were refused, since the log cannot be written. */
  #lost = 0
  #refused = 0
  #working: Promise<void> | undefined
  /** The file may have bytes behind `#bytes`: a write of it has failed. */
  #uncertain = false
  #loaded = false
  #damage: GatewayNotice | undefined
  #failure: GatewayNotice | undefined
  #again: NodeJS.Timeout | undefined
  #expiry: NodeJS.Timeout | undefined
  /** Those who read the files, which are not removed meanwhile. */
  #readers = 0
  readonly #reserve: Reserve

  constructor(dataDirectory: string, options: LogOptions) {
    this.directory = join(dataDirectory, FOLDER)
    this.#home = new Home(dataDirectory)
    this.#reserve = new Reserve(this.directory)
    this.#options = options
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES
    this.#write = options.write ?? writeAll
  }

  /** Reads where the log stands. Never throws: a log that cannot be used refuses changes and says so. */
  async load(): Promise<void> {
    await this.#load().catch((error: unknown) => this.#fail(error))
    this.#expiry = setInterval(() => void this.expire(), EXPIRE_MS).unref()
    if (this.#loaded) await this.#reserve.take()
    await this.expire()
  }

  /**
   * Says what is about to be done. It is on the disk when this resolves. `frees`: it makes room on a full disk.
   *
   * @throws GatewayError `audit_unavailable`, `data_directory_unavailable`
   */
  intent(facts: Facts, frees = false): Promise<number> {
    return new Promise((resolve, reject) => {
      const refuse = (error: unknown): void => {
        // Without its directory, the server changes nothing anyhow, and says it by this name.
        if (error instanceof GatewayError && error.code === 'data_directory_unavailable') return reject(error)
        const message = say('the audit log cannot be written, so nothing is changed: {why}', {
          why: (error as Error).message,
        })
        reject(new GatewayError('audit_unavailable', message))
      }
      this.#add({ kind: 'intent', facts, refuse, frees, done: resolve })
    })
  }

  /** Adds an entry. If it cannot be written now, it is kept and written later. */
  note(kind: Kind, facts: Facts): Promise<number> {
    return new Promise((done) => this.#add({ kind, facts, done }))
  }

  /** The newest entry that is on the disk, and how far its file is. */
  position(): { segment: number; bytes: number; kept: Link } {
    return { segment: this.#segment, bytes: this.#bytes, kept: this.#last }
  }

  /** Whether the change of this entry has not ended yet. */
  isRunning(seq: number): boolean {
    return this.#begun.has(seq)
  }

  get totalBytes(): number {
    return this.#earlierBytes + this.#bytes
  }

  /** Runs `read`; no file is removed meanwhile. */
  async reading<T>(read: () => Promise<T>): Promise<T> {
    const release = this.hold()
    try {
      return await read()
    } finally {
      release()
    }
  }

  /** No file is removed until the function is called that this returns. */
  hold(): () => void {
    let held = true
    this.#readers += 1
    return () => {
      if (held) this.#readers -= 1
      held = false
    }
  }

  notices(): GatewayNotice[] {
    const { noticeBytes = Infinity } = this.#options
    const large = this.totalBytes > noticeBytes && {
      code: 'audit_large' as const,
      message: `the audit log has ${this.totalBytes} bytes; copy it and set TESSERA_AUDIT_KEEP_DAYS, or raise TESSERA_AUDIT_NOTICE_BYTES`,
      since: new Date().toISOString(),
    }
    return [this.#damage, this.#failure, large].filter((notice) => notice !== undefined && notice !== false)
  }

  /** Something is wrong with the files: it is told, and the log goes on in a new one. */
  damaged(damages: readonly string[]): void {
    this.#damages.push(...damages)
    this.#tell(this.#damages, new Date().toISOString())
    for (const damage of damages) this.#options.warn(new Error(damage), 'the audit log is damaged')
  }

  #tell(damages: readonly string[], since: string): void {
    const message = `the audit log is damaged: ${damages.slice(0, 3).join('; ')}`
    this.#damage ??= { code: 'audit_damaged', message, since }
  }

  /** Writes what waits, and `stop` as the last entry. */
  async close(facts: Facts): Promise<void> {
    clearInterval(this.#expiry)
    this.#reserve.close()
    if (this.#loaded) void this.note('stop', facts)
    await this.#working
    clearTimeout(this.#again)
    await this.#file?.close()
    this.#file = undefined
  }

  /** Removes files whose last entry is older than the setting allows. An entry says so before. */
  async expire(nowMs = Date.now()): Promise<void> {
    const { keepDays } = this.#options
    if (keepDays === undefined || !this.#loaded || this.#readers > 0) return
    try {
      const old: Segment[] = []
      for (const segment of await listSegments(this.directory)) {
        if (segment.number >= this.#segment) break
        const { at } = readLine(await lastLine(segment))
        if (Date.parse(at) > nowMs - keepDays * DAY_MS) break
        old.push(segment)
      }
      const newest = old.at(-1)
      if (newest === undefined) return
      const { seq, hash } = readLine(await lastLine(newest))
      const removed = { through: newest.number, seq, hash }
      await new Promise((done, refuse) => {
        this.#add({ kind: 'checkpoint', facts: { removed, keepDays }, refuse, frees: true, done })
      })
      this.#removed = removed
      if ((this.#known?.segment ?? Infinity) <= removed.through) this.#known = undefined
      for (const { file, segment } of await tornFiles(this.directory))
        if (segment <= removed.through) await rm(join(this.directory, basename(file)))
      for (const { path, bytes } of old) {
        await rm(path)
        this.#earlierBytes -= bytes
      }
    } catch (error) {
      this.#options.warn(error, 'old files of the audit log could not be removed')
    }
  }

  #add(entry: Waiting): void {
    if (this.#waiting.length >= WAITING_MAX) {
      if (entry.refuse !== undefined) return entry.refuse(new Error('too many entries wait'))
      this.#lost += 1
      return entry.done(0)
    }
    if (this.#failure !== undefined && entry.refuse === undefined) return this.#keep(entry)
    this.#waiting.push(entry)
    this.#working ??= this.#work()
  }

  /** For later: nobody waits for an answer about what was carried out already. */
  #keep(entry: Waiting): void {
    entry.done(0)
    if (this.#waiting.length < KEPT_MAX) this.#waiting.push({ ...entry, done: () => undefined })
    else this.#lost += 1
  }

  /** What comes in while a batch is written is the next one. */
  async #work(): Promise<void> {
    try {
      do {
        try {
          await this.#ready()
          await this.#commit()
        } catch (error) {
          if (isFull(error) && this.#waiting.some(({ frees }) => frees) && (await this.#reserve.giveUp())) {
            this.#uncertain = true
            continue
          }
          this.#fail(error)
          // An intent that came meanwhile has its own try.
          if (this.#waiting.every(({ refuse }) => refuse === undefined)) return
        }
      } while (this.#waiting.length > 0)
    } finally {
      this.#working = undefined
    }
  }

  #fail(error: unknown): void {
    const message = `the audit log cannot be written, so changes are refused: ${(error as Error).message}`
    if (this.#failure === undefined) this.#options.warn(error, 'the audit log cannot be written')
    this.#failure = { code: 'audit_not_written', message, since: this.#failure?.since ?? new Date().toISOString() }
    this.#uncertain = true
    for (const entry of this.#waiting.splice(0)) {
      if (entry.refuse === undefined) this.#keep(entry)
      else {
        this.#refused += 1
        entry.refuse(error)
      }
    }
    clearTimeout(this.#again)
    this.#again = setTimeout(() => void (this.#working ??= this.#work()), AGAIN_MS).unref()
  }

  async #load(): Promise<void> {
    await this.#home.check()
    await mkdir(this.directory, { recursive: true, mode: 0o700 })
    const tail = await readTail(this.directory)
    this.#last = tail.last
    this.#begun = tail.begun
    this.#removed = tail.removed
    const segments = await listSegments(this.directory)
    this.#earlierBytes = segments.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#segment = tail.next - 1
    this.#known = tail.known
    if (tail.damages.length > 0) this.damaged(tail.damages)
    else if (tail.known !== undefined) this.#tell(tail.known.damages, tail.known.at)
    if (tail.segment !== undefined) {
      await this.#openSegment(tail.segment.number, constants.O_WRONLY)
      this.#bytes = tail.segment.bytes
      this.#earlierBytes -= tail.segment.bytes
    }
    this.#loaded = true
    for (const { file, bytes, sha256 } of tail.torn) void this.note('torn', { file, bytes, sha256 })
    // The server ended before these changes had: nobody knows how they went.
    for (const [seq, facts] of tail.begun) void this.note('outcome', { ...facts, intent: seq, outcome: 'unknown' })
  }

  /** The last file is open, is ours, and ends where we left it. */
  async #ready(): Promise<void> {
    if (!this.#loaded) await this.#load()
    await this.#home.check()
    if (this.#file === undefined || (this.#damages.length > 0 && this.#bytes > 0)) return this.#newSegment()
    const path = segmentPath(this.directory, this.#segment)
    if (this.#uncertain) await this.#file.truncate(this.#bytes)
    this.#uncertain = false
    const found = await lstat(path, { bigint: true }).catch(onlyMissing)
    if (found?.ino === this.#inode && found.size === BigInt(this.#bytes)) return
    // Without the folder, there is nothing to go on in.
    if (found === undefined) await stat(this.directory)
    this.damaged([`${nameOf(path)} ${found === undefined ? 'was removed' : 'was changed by another program'}`])
    await this.#newSegment()
  }

  async #newSegment(): Promise<void> {
    await this.#writeHead(true)
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
    for (let next = this.#segment + 1; ; next += 1) {
      const taken = await this.#openSegment(next, flags).then(() => false, onlyTaken)
      if (!taken) break
      this.damaged([`${nameOf(segmentPath(this.directory, next))} is of another program`])
    }
    this.#earlierBytes += this.#bytes
    this.#bytes = 0
    await syncFolder(this.directory)
  }

  async #openSegment(number: number, flags: number): Promise<void> {
    const file = await open(segmentPath(this.directory, number), flags | constants.O_NOFOLLOW, 0o600)
    await this.#file?.close()
    this.#file = file
    this.#inode = (await file.stat({ bigint: true })).ino
    this.#segment = number
    this.#uncertain = false
  }

  /** Writes as many of the waiting entries as fit into a batch. */
  async #commit(): Promise<void> {
    if (this.#bytes >= this.#segmentBytes) await this.#newSegment()
    const at = new Date().toISOString()
    const lines: string[] = []
    let [last, bytes] = [this.#last, 0]
    const add = (kind: Kind, facts: Facts): void => {
      const { text, link } = lineAfter(last, at, kind, facts)
      lines.push(`${text}\n`)
      bytes += Buffer.byteLength(text) + 1
      last = link
    }
    if (this.#bytes === 0) add('segment', this.#firstFacts())
    const [lost, refused] = [this.#lost, this.#refused]
    if (this.#failure !== undefined || lost > 0) add('gap', { since: this.#failure?.since, lost, refused })
    const done: (readonly [Waiting, number])[] = []
    for (const entry of this.#waiting) {
      if (bytes > 0 && bytes >= Math.min(BATCH_BYTES, Math.max(1, this.#segmentBytes - this.#bytes)) && done.length > 0)
        break
      add(entry.kind, entry.facts)
      done.push([entry, last.seq])
    }
    await this.#write(this.#file as FileHandle, Buffer.from(lines.join('')), this.#bytes)
    const { written } = this.#options
    if (written !== undefined) for (const line of lines) written(line.slice(0, -1))
    this.#waiting.splice(0, done.length)
    this.#bytes += bytes
    this.#last = last
    this.#lost -= lost
    this.#refused -= refused
    if (this.#damages.length > 0) this.#known = { segment: this.#segment, at, damages: this.#toldDamages() }
    this.#damages = []
    this.#failure = undefined
    for (const [entry, seq] of done) {
      if (entry.kind === 'intent') this.#begun.set(seq, entry.facts)
      if (entry.kind === 'outcome') this.#begun.delete(Number(entry.facts['intent']))
      entry.done(seq)
    }
    await this.#writeHead(false).catch((error: unknown) => this.#options.warn(error, 'audit/head cannot be written'))
  }

  /** What a start has to know and would have to read all earlier files for. */
  #firstFacts(): Facts {
    const begun = [...this.#begun].slice(0, BEGUN_MAX).map(([seq, facts]) => ({ seq, ...facts, before: undefined }))
    return {
      segment: this.#segment,
      ...(begun.length > 0 && { begun }),
      ...(this.#removed !== undefined && { removed: this.#removed }),
      ...(this.#damages.length > 0 && { damages: this.#toldDamages() }),
      ...(this.#known !== undefined && { known: this.#known }),
    }
  }

  #toldDamages(): string[] {
    return this.#damages.slice(0, DAMAGES_MAX)
  }

  /** It is never ahead of the log. Without `sync`, a power loss may leave an older one. */
  async #writeHead(sync: boolean): Promise<void> {
    const file = await open(
      headPath(this.directory),
      constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      0o600,
    )
    try {
      await file.write(headText(this.#last), 0)
      if (sync) await file.sync()
    } finally {
      await file.close()
    }
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done)
    done += bytesWritten
  }
  await file.datasync()
}

const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')

function onlyMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function onlyTaken(error: NodeJS.ErrnoException): true {
  if (error.code !== 'EEXIST') throw error
  return true
}
