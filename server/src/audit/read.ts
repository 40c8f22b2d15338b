// Reads entries newest first, in pieces, from the ends of the files. What a change was announced with is not shown again
// beside its outcome.
import { GatewayError } from '../errors.js'
import { Fault, type Line, readLine } from './line.js'
import type { AuditLog } from './log.js'
import { listSegments, openToRead, type Segment, segmentPath } from './segments.js'
import { factsOf } from './tail.js'
import { say } from '../sentences/sentence.js'

const BLOCK_BYTES = 128 * 1024
/** Bytes that one call reads at most: after it, a page may have fewer entries than it could. */
const READ_MAX = 4 * 1024 * 1024
const LINE_FEED = 0x0a

export interface Entry {
  seq: number
  at: string
  kind: string
  hash: string
  [fact: string]: unknown
}

export interface Wanted {
  limit: number
  cursor?: string | undefined
  matches: (entry: Entry) => boolean
  pause?: (bytes: number) => Promise<void> | undefined
}

export interface Entries {
  items: Entry[]
  /** Where the next page begins; undefined: there is nothing older. */
  cursor?: string
}

/** Where a page ends: the bytes of a file from its beginning that are not read yet. */
interface Place {
  segment: number
  bytes: number
}

export function readNewest(log: AuditLog, wanted: Wanted): Promise<Entries> {
  return log.reading(async () => {
    const segments = await listSegments(log.directory)
    const { segment, bytes } = log.position()
    let place: Place | undefined = wanted.cursor === undefined ? { segment, bytes } : placeOf(wanted.cursor)
    const items: Entry[] = []
    let read = 0
    while (place !== undefined && items.length < wanted.limit && read < READ_MAX) {
      const before: Place = place
      await wanted.pause?.(BLOCK_BYTES)
      place = await readBlock(log, segments, before, wanted, items)
      read += BLOCK_BYTES
    }
    return { items, ...(place !== undefined && { cursor: cursorOf(place) }) }
  })
}

/** Reads the lines of one block that end at a place. Returns where it stopped. */
async function readBlock(
  log: AuditLog,
  segments: readonly Segment[],
  { segment, bytes }: Place,
  { limit, matches }: Wanted,
  items: Entry[],
): Promise<Place | undefined> {
  if (bytes === 0) {
    const before = segments.findLast(({ number }) => number < segment)
    return before && { segment: before.number, bytes: before.bytes }
  }
  const from = Math.max(0, bytes - BLOCK_BYTES)
  const block = await readBytes(segmentPath(log.directory, segment), from, bytes)
  // In a block that does not begin with the file, the first line may not be whole.
  const first = from === 0 ? 0 : block.indexOf(LINE_FEED) + 1
  // No line of ours is that long, so the block is damaged as a whole.
  if (first === block.length || (first === 0 && from > 0)) return { segment, bytes: from }
  let end = block.length
  while (end > first && items.length < limit) {
    const begin = end < 2 ? 0 : block.lastIndexOf(LINE_FEED, end - 2) + 1
    const entry = entryOf(log, block.subarray(Math.max(begin, first), end - 1))
    if (entry !== undefined && matches(entry)) items.push(entry)
    end = Math.max(begin, first)
  }
  return end === 0 && from === 0 ? { segment, bytes: 0 } : { segment, bytes: from + end }
}

/** A damaged line is not shown; `verify` tells it. */
function entryOf(log: AuditLog, bytes: Buffer): Entry | undefined {
  const line = lineOf(bytes)
  if (line === undefined) return undefined
  const { seq, at, kind, hash } = line
  if (kind === 'intent' && !log.isRunning(seq)) return undefined
  const facts = factsOf(bytes)
  return { seq, at, kind, hash, ...(kind === 'intent' && { outcome: 'running' }), ...facts }
}

function lineOf(bytes: Buffer): Line | undefined {
  try {
    return readLine(bytes)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

async function readBytes(path: string, from: number, to: number): Promise<Buffer> {
  const file = await openToRead(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw cursorInvalid()
    throw error
  })
  try {
    const block = Buffer.alloc(to - from)
    const { bytesRead } = await file.read(block, 0, block.length, from)
    return block.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const cursorOf = ({ segment, bytes }: Place): string => Buffer.from(`${segment}:${bytes}`).toString('base64url')

function placeOf(cursor: string): Place {
  const match = /^(\d{1,9}):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (match === null) throw cursorInvalid()
  return { segment: Number(match[1]), bytes: Number(match[2]) }
}

const cursorInvalid = (): GatewayError =>
  new GatewayError('cursor_invalid', say('the cursor does not belong to this list; start again without a cursor'), {
    field: 'cursor',
  })

/** The lines as they are in the files, oldest first, up to the newest that is on the disk. */
export async function exportOf(log: AuditLog): Promise<{ next: () => Promise<Buffer | null>; abort: () => void }> {
  const release = log.hold()
  const { segment, bytes } = log.position()
  const rest = (await listSegments(log.directory)).filter(({ number }) => number <= segment)
  let at = 0
  const next = async (): Promise<Buffer | null> => {
    const [current] = rest
    if (current === undefined) {
      release()
      return null
    }
    const to = current.number === segment ? bytes : current.bytes
    const block = at >= to ? undefined : await readBytes(current.path, at, Math.min(to, at + BLOCK_BYTES))
    if (block !== undefined && block.length > 0) {
      at += block.length
      return block
    }
    rest.shift()
    at = 0
    return next()
  }
  return { next, abort: release }
}
