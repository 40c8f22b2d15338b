// Verifies the files of an audit log: that each line is what was written, and that none is missing or in another place.
import { dirname, join } from 'node:path'
import { Damage } from '../files/read-file.js'
import { Fault, follow, type Line, type Link, ORIGIN, readLine } from './line.js'
import { headPath, linesOf, listSegments, nameOf, readHead, type Segment, segmentPath, strangerIn } from './segments.js'
import { type Told, tornFault } from './torn.js'

export interface LogFault {
  file: string
  /** From 1; 0: the file as a whole. */
  line: number
  /** Of the entry that is there or should be. */
  seq: number
  message: string
}

export interface Report {
  ok: boolean
  segments: number
  entries: number
  bytes: number
  /** The last entry that follows all before it. */
  head: Link
  /** Number of the entry with the hash that was asked for, if there is one. */
  headSeq?: number
  /** Files that the retention removed before the first one. */
  removedSegments?: number
  /** Bytes of a line that a crash cut off, at the end of the last file. */
  tornBytes?: number
  /** The first one. */
  fault?: LogFault
}

export interface VerifyOptions {
  /** A hash that was kept elsewhere: an entry must have it. */
  head?: string
  /** A log that is being written: how far it is on the disk. Unset: to the ends of its files. */
  until?: { segment: number; bytes: number; kept: Link }
  pause?: (bytes: number) => Promise<void> | undefined
  signal?: AbortSignal
}

/** What the last removal of old files has said: the last file of those, and where its chain ended. */
export interface Removed extends Link {
  through: number
}

export const removedOf = (line: Buffer): Removed | undefined => {
  const { removed } = JSON.parse(line.toString()) as { removed?: Removed }
  return removed
}

/** What the first line of a file says: its number, and what a start has found wrong with the files before it. */
const beginningOf = (line: Buffer): { segment?: number; damages?: readonly string[] } =>
  JSON.parse(line.toString()) as { segment?: number; damages?: string[] }

class Found extends Error {
  readonly fault: LogFault

  constructor(fault: LogFault) {
    super(fault.message)
    this.fault = fault
  }
}

/** Reads all files once, in pieces. */
export async function verifyLog(directory: string, options: VerifyOptions = {}): Promise<Report> {
  const check = new Check(directory, options)
  try {
    await check.run()
    return { ok: true, ...check.report }
  } catch (error) {
    if (!(error instanceof Found)) throw error
    return { ok: false, ...check.report, fault: error.fault }
  }
}

class Check {
  readonly #directory: string
  readonly #options: VerifyOptions
  readonly report: Omit<Report, 'ok'> = { segments: 0, entries: 0, bytes: 0, head: ORIGIN }
  /** Where the chain of each file ended. */
  readonly #ends = new Map<number, Link>()
  #last: Link = ORIGIN
  /** What the first line says to follow. */
  #first: Link = ORIGIN
  #removed: Removed | undefined
  #keptFound = false
  /** What entries tell about lines that a crash cut off, by the names of their files. */
  readonly #told = new Map<string, Told>()

  constructor(directory: string, options: VerifyOptions) {
    this.#directory = directory
    this.#options = options
  }

  async run(): Promise<void> {
    const kept = this.#options.until?.kept ?? (await this.#keptHead())
    const segments = (await listSegments(this.#directory)).filter(
      ({ number }) => number <= (this.#options.until?.segment ?? Infinity),
    )
    const [first] = segments
    if (first === undefined) this.#fail(segmentPath(this.#directory, 1), 0, 'there is no audit log')
    this.#keptFound = kept.seq === 0
    let expected = first.number
    for (const segment of segments) {
      if (segment.number !== expected) this.#fail(segmentPath(this.#directory, expected), 0, 'it is missing')
      await this.#segment(segment, segment === segments.at(-1), kept)
      this.#ends.set(segment.number, this.#last)
      this.report.segments += 1
      expected += 1
    }
    this.#checkBeginning(first)
    const stranger = await strangerIn(this.#directory)
    if (stranger !== undefined)
      this.#fail(join(this.#directory, stranger), 0, 'it is no file of the log; move it to another folder')
    const torn = await tornFault(this.#directory, this.#told, this.#removed?.through ?? 0)
    if (torn !== undefined) this.#fail(join(this.#directory, torn.name), 0, torn.fault)
    const end = segments.at(-1) ?? first
    if (!this.#keptFound) {
      const message =
        this.#last.seq < kept.seq
          ? `the log ends with entry ${this.#last.seq}, but entry ${kept.seq} was written`
          : `entry ${kept.seq} is another one than was written`
      this.#fail(end.path, 0, message)
    }
    if (this.#options.head !== undefined && this.report.headSeq === undefined)
      this.#fail(end.path, 0, `no entry has the hash ${this.#options.head}`)
  }

  async #keptHead(): Promise<Link> {
    const path = headPath(this.#directory)
    try {
      const kept = await readHead(this.#directory)
      if (kept !== undefined) return kept
    } catch (error) {
      if (!(error instanceof Damage)) throw error
      this.#fail(path, 0, error.message)
    }
    return this.#fail(path, 0, `it is missing in ${dirname(path)}`)
  }

  async #segment({ number, path, bytes, fault }: Segment, isLast: boolean, kept: Link): Promise<void> {
    if (fault !== undefined) this.#fail(path, 0, fault)
    const { until, pause, signal } = this.#options
    const to = until?.segment === number ? until.bytes : bytes
    // A server that ended when it had just made the file leaves the last one so.
    if (to === 0 && !isLast) this.#fail(path, 0, 'it is empty')
    for await (const raw of linesOf(path, to, pause)) {
      signal?.throwIfAborted()
      if (!raw.ended) {
        if (!isLast) this.#fail(path, raw.number, 'it has no end')
        this.report.tornBytes = raw.bytes.length
        return
      }
      const line = this.#line(path, raw.number, raw.bytes)
      const beginning = line.kind === 'segment' ? beginningOf(raw.bytes) : {}
      if (raw.number === 1 && beginning.segment !== number) this.#fail(path, 1, 'it is not the first line of this file')
      if (line.seq === kept.seq) this.#keptFound = line.hash === kept.hash
      if (line.hash === this.#options.head) this.report.headSeq = line.seq
      const [damage] = beginning.damages ?? []
      // What it names may not be seen any more: `head` is written anew, and so is the end of the chain.
      if (damage !== undefined) this.#fail(path, raw.number, `a start found this before it: ${damage}`)
      if (line.kind === 'checkpoint' || line.kind === 'segment') this.#removed = removedOf(raw.bytes) ?? this.#removed
      if (line.kind === 'torn') this.#tell(raw.bytes)
      this.report.entries += 1
      this.report.bytes += raw.bytes.length + 1
    }
  }

  #tell(line: Buffer): void {
    const { file, ...told } = JSON.parse(line.toString()) as Told & { file: string }
    this.#told.set(file, told)
  }

  #line(path: string, number: number, bytes: Buffer): Line {
    try {
      const line = readLine(bytes)
      // The chain of a log whose oldest files were removed begins in its middle.
      if (this.report.entries === 0 && path !== segmentPath(this.#directory, 1))
        this.#last = this.#first = { seq: line.seq - 1, hash: line.prev }
      follow(this.#last, line)
      this.#last = this.report.head = { seq: line.seq, hash: line.hash }
      return line
    } catch (error) {
      if (error instanceof Fault) this.#fail(path, number, error.message)
      throw error
    }
  }

  /** Files that are not there any more must have been removed by the retention, which says so. */
  #checkBeginning({ number, path }: Segment): void {
    if (number === 1) return
    const removed = this.#removed
    const end = removed && (removed.through < number ? this.#first : this.#ends.get(removed.through))
    if (removed === undefined || removed.through < number - 1 || end?.hash !== removed.hash || end.seq !== removed.seq)
      this.#fail(path, 1, 'files before it are missing, and no entry says that they were removed')
    this.report.removedSegments = number - 1
  }

  #fail(path: string, line: number, message: string): never {
    throw new Found({ file: nameOf(path), line, seq: this.#last.seq + 1, message })
  }
}
