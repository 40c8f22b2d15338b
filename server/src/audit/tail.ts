// What the log has when the server starts: its last file is verified whole, the others by their names and last lines.
import { open, truncate } from 'node:fs/promises'
import { moveAside } from '../files/keep-aside.js'
import { Damage, isThere } from '../files/read-file.js'
import { type Facts, Fault, follow, type Line, type Link, ORIGIN, readLine } from './line.js'
import { headPath, lastLine, linesOf, listSegments, nameOf, readHead, type Segment, segmentPath } from './segments.js'
import { type Removed, removedOf } from './verify.js'

/** A change that had begun, by the number of its entry. */
export type Begun = Map<number, Facts>

export interface Tail {
  last: Link
  /** The file to go on in; undefined: a new one is needed. */
  segment: Segment | undefined
  /** The number of the next new file. */
  next: number
  begun: Begun
  removed: Removed | undefined
  /** A line that a crash cut off was set aside. */
  torn: { file: string; bytes: number } | undefined
  /** What is damaged, each as a sentence. */
  damages: string[]
  /** What an earlier start has found, as far as its file is still there. */
  known: KnownDamage | undefined
}

/** Damage that the first line of a file has told, and those of all files after it repeat. */
export interface KnownDamage {
  segment: number
  at: string
  damages: readonly string[]
}

/** Reads the end of the log. A torn line is moved to a file of its own; nothing else is changed. */
export async function readTail(directory: string): Promise<Tail> {
  const segments = await listSegments(directory)
  const damages: string[] = []
  const kept = await readHead(directory).catch(async (error: unknown) => {
    if (!(error instanceof Damage)) throw error
    damages.push(`audit/head is damaged: ${error.message}${await moveAside(headPath(directory))}`)
    return undefined
  })
  const tail: Tail = {
    last: ORIGIN,
    segment: undefined,
    next: (segments.at(-1)?.number ?? 0) + 1,
    begun: new Map(),
    removed: undefined,
    torn: undefined,
    damages,
    known: undefined,
  }
  if (segments.length > 0) await readSegments(directory, segments, tail, kept)
  if (kept === undefined && damages.length === 0 && segments.length > 0) damages.push('audit/head is missing')
  if (kept !== undefined && tail.last.seq < kept.seq) {
    if (damages.length === 0)
      damages.push(`the log ends with entry ${tail.last.seq}, but entry ${kept.seq} was written`)
    // The numbers of lost entries are not used again.
    tail.last = kept
  }
  if (damages.length > 0) tail.segment = undefined
  // With its file, the retention has removed what was damaged.
  if (tail.known !== undefined && tail.known.segment <= (tail.removed?.through ?? 0)) tail.known = undefined
  return tail
}

async function readSegments(
  directory: string,
  segments: readonly Segment[],
  tail: Tail,
  kept: Link | undefined,
): Promise<void> {
  const { damages } = tail
  let last = segments.at(-1) as Segment
  let read = await readSegment(last, tail, kept)
  const before = segments.at(-2)
  if (read.first === undefined && before !== undefined) {
    // The server ended when it had just made the file.
    read = await readSegment(before, tail, kept)
    if (read.torn > 0) damages.push(`${nameOf(before.path)} has no end`)
  } else if (before !== undefined && read.first !== undefined) {
    const link = await linkOf(before)
    if (link?.seq !== read.first.seq || link.hash !== read.first.hash)
      damages.push(`${nameOf(last.path)} does not follow ${nameOf(before.path)}`)
  }
  if (damages.length === 0 && read.torn > 0 && read.segment === last) {
    last = { ...last, bytes: last.bytes - read.torn }
    tail.torn = { file: await setAside(last, read.torn), bytes: read.torn }
  }
  tail.segment = last
  const numbers = new Set(segments.map(({ number }) => number))
  const first = Math.min(segments[0]?.number ?? 1, (tail.removed?.through ?? 0) + 1)
  for (let number = first; number < last.number; number += 1)
    if (!numbers.has(number)) damages.push(`${nameOf(segmentPath(directory, number))} is missing`)
}

interface Read {
  segment: Segment
  /** What the first line follows. */
  first: Link | undefined
  /** Bytes behind the last line feed. */
  torn: number
}

/** Reads a whole file into `tail`. */
async function readSegment(segment: Segment, tail: Tail, kept: Link | undefined): Promise<Read> {
  let first: Link | undefined
  let torn = 0
  for await (const { bytes, number, ended } of linesOf(segment.path, segment.bytes)) {
    if (!ended) {
      torn = bytes.length
      break
    }
    try {
      const line = readLine(bytes)
      if (first === undefined) {
        first = { seq: line.seq - 1, hash: line.prev }
        tail.last = first
        if (kept?.seq === first.seq && kept.hash !== first.hash)
          throw new Fault(`entry ${kept.seq} before it is another one than was written`)
      }
      follow(tail.last, line)
      if (kept?.seq === line.seq && kept.hash !== line.hash) throw new Fault('it is another one than was written')
      tail.last = { seq: line.seq, hash: line.hash }
      take(tail, line, bytes)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      tail.damages.push(`line ${number} of ${nameOf(segment.path)} is damaged: ${error.message}`)
      break
    }
  }
  return { segment, first, torn }
}

/** Keeps which changes have begun and not ended, which files were removed, and which damage is known. */
function take(tail: Tail, { seq, kind, at }: Line, bytes: Buffer): void {
  if (kind === 'intent') tail.begun.set(seq, factsOf(bytes))
  if (kind === 'outcome') tail.begun.delete(Number(factsOf(bytes)['intent']))
  if (kind !== 'segment' && kind !== 'checkpoint') return
  tail.removed = removedOf(bytes) ?? tail.removed
  const { begun = [], segment = 0, damages, known } = factsOf(bytes) as Beginning
  tail.known = damages === undefined ? (known ?? tail.known) : { segment, at, damages }
  for (const { seq: earlier, ...facts } of begun) tail.begun.set(earlier, facts)
}

/** The first line of a file. */
interface Beginning {
  segment?: number
  begun?: (Facts & { seq: number })[]
  damages?: string[]
  known?: KnownDamage
}

/** The members of a line that are about an operation. */
export function factsOf(line: Buffer): Facts {
  const { seq: _s, at: _a, prev: _p, kind: _k, hash: _h, ...facts } = JSON.parse(line.toString()) as Facts
  return facts
}

async function linkOf(segment: Segment): Promise<Link | undefined> {
  try {
    return readLine(await lastLine(segment))
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

/** Moves the bytes behind the end of a file to a new one. Returns its name. */
async function setAside({ path, bytes }: Segment, torn: number): Promise<string> {
  let aside = `${path}.torn`
  for (let copy = 2; await isThere(aside); copy += 1) aside = `${path}.torn-${copy}`
  const [from, to] = [await open(path, 'r'), await open(aside, 'wx', 0o600)]
  try {
    const rest = Buffer.alloc(torn)
    await from.read(rest, 0, torn, bytes)
    await to.writeFile(rest)
    await to.sync()
  } finally {
    await from.close()
    await to.close()
  }
  await truncate(path, bytes)
  return nameOf(aside)
}
