// What the log has when the server starts: its last file is verified whole, the others by their names and last lines.
import { truncate } from 'node:fs/promises'
import { moveAside } from '../files/keep-aside.js'
import { Damage } from '../files/read-file.js'
import { type Facts, Fault, follow, type Line, type Link, ORIGIN, readLine } from './line.js'
import { headPath, lastLine, linesOf, listSegments, nameOf, readHead, type Segment, segmentPath } from './segments.js'
import { setAside, type Torn, tornFiles } from './torn.js'
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
  /** Lines that a crash cut off and that were set aside, which no entry tells yet. */
  torn: Torn[]
  /** Names of the files with such lines that entries tell. */
  told: Set<string>
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
    torn: [],
    told: new Set(),
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
  if (last.fault !== undefined) damages.push(`${nameOf(last.path)} is damaged: ${last.fault}`)
  let read = await readSegment(last, tail, kept)
  const before = segments.at(-2)
  if (read.first === undefined && before !== undefined) {
    // The server ended when it had just made the file.
    read = await readSegment(before, tail, kept)
    if (read.torn > 0) damages.push(`${nameOf(before.path)} has no end`)
  } else if (before !== undefined && read.first !== undefined) {
    const link = await linkOf(before)
    const isKnown = before.fault !== undefined && tail.known?.segment === last.number
    if (!isKnown && (link?.seq !== read.first.seq || link.hash !== read.first.hash))
      damages.push(`${nameOf(last.path)} does not follow ${nameOf(before.path)}`)
  }
  if (damages.length === 0 && read.torn > 0 && read.segment === last) {
    last = { ...last, bytes: last.bytes - read.torn }
    await setAside(last, read.torn)
    await truncate(last.path, last.bytes)
  }
  tail.segment = last
  // Also one that an earlier start set aside, if it ended before it could say so.
  for (const torn of await tornFiles(directory))
    if (torn.segment === last.number && !tail.told.has(torn.file)) tail.torn.push(torn)
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
  if (segment.fault !== undefined) return { segment, first, torn }
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
  if (kind === 'torn') tail.told.add(String(factsOf(bytes)['file']))
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
