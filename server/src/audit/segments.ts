// The files of the audit log: `audit/000001.log` and so on in the data directory, and `audit/head`.
import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Damage, readRegular } from '../files/read-file.js'
import { LINE_MAX, type Link } from './line.js'

export const FOLDER = 'audit'
const SEGMENT = /^(\d{6,})\.log$/
/** What a crash cut off, damaged files that were set aside, and room that is kept free. */
const BESIDE = /^(head|reserve|\d{6,}\.log\.torn(-\d+)?|head\.damaged(-\d+)?)$/
const HEAD_BYTES = 128
const BLOCK_BYTES = 64 * 1024
const LINE_FEED = 0x0a

export interface Segment {
  number: number
  path: string
  /** 0 if it is no file of ours. */
  bytes: number
  /** Why it is no file of ours, as the end of a sentence. */
  fault?: string
}

export const segmentPath = (directory: string, number: number): string =>
  join(directory, `${String(number).padStart(6, '0')}.log`)

/** The name of a file in messages. */
export const nameOf = (path: string): string => `${FOLDER}/${basename(path)}`

/** In their order. */
export async function listSegments(directory: string): Promise<Segment[]> {
  const numbers = (await namesIn(directory)).flatMap((name) => numberOf(name) ?? [])
  return Promise.all(
    numbers
      .toSorted((a, b) => a - b)
      .map(async (number) => {
        const path = segmentPath(directory, number)
        const found = await lstat(path)
        const fault = faultOf(found)
        return fault === undefined ? { number, path, bytes: found.size } : { number, path, bytes: 0, fault }
      }),
  )
}

/** A pipe would be waited for, and a link may lead to a log that somebody else can change. */
function faultOf(found: Stats): string | undefined {
  if (found.isFile()) return undefined
  if (found.isSymbolicLink()) return 'it is a link'
  return found.isDirectory() ? 'it is a folder' : 'it is no regular file'
}

/** Opens a regular file for reading: nothing waits for the other end of a pipe that came in its place. */
export const openToRead = (path: string): Promise<FileHandle> =>
  open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)

/** A file in the folder that the server did not write, if there is one. */
export const strangerIn = async (directory: string): Promise<string | undefined> =>
  (await namesIn(directory)).toSorted().find((name) => numberOf(name) === undefined && !BESIDE.test(name))

export async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

/** Undefined: no name that the server gives, such as one with more zeros. */
function numberOf(name: string): number | undefined {
  const number = Number(SEGMENT.exec(name)?.[1] ?? 0)
  return number > 0 && name === basename(segmentPath('', number)) ? number : undefined
}

export const headPath = (directory: string): string => join(directory, 'head')

/** Always as long, so that writing it anew needs no room on the disk. */
export const headText = ({ seq, hash }: Link): string =>
  `${JSON.stringify({ seq, hash }).padEnd(HEAD_BYTES - 1, ' ')}\n`

/**
 * The newest entry that the server knew to be on the disk, or one a little older. Undefined: there is no such file.
 *
 * @throws Damage
 */
export async function readHead(directory: string): Promise<Link | undefined> {
  const path = headPath(directory)
  const found = await lstat(path).catch(() => undefined)
  if (found?.isSymbolicLink() === true) throw new Damage('it is a link')
  const text = await readRegular(path, HEAD_BYTES)
  if (text === undefined) return undefined
  const { seq, hash } = parse(text)
  if (typeof seq !== 'number' || typeof hash !== 'string' || headText({ seq, hash }) !== text)
    throw new Damage('it is not what the server writes')
  return { seq, hash }
}

function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    throw new Damage('it is no JSON')
  }
}

export interface RawLine {
  /** Without its line feed; cut after `LINE_MAX` bytes and one. */
  bytes: Buffer
  /** From 1. */
  number: number
  /** False: the file ends without a line feed. */
  ended: boolean
}

/** The lines of the first `to` bytes of a file. `pause` is called before each block with its bytes. */
export async function* linesOf(
  path: string,
  to: number,
  pause: (bytes: number) => Promise<void> | undefined = () => undefined,
): AsyncGenerator<RawLine> {
  const file = await openToRead(path)
  try {
    let number = 0
    let rest: Buffer = Buffer.alloc(0)
    for (let at = 0; at < to;) {
      await pause(BLOCK_BYTES)
      const block = Buffer.alloc(Math.min(BLOCK_BYTES, to - at))
      const { bytesRead } = await file.read(block, 0, block.length, at)
      if (bytesRead === 0) break
      at += bytesRead
      let all = Buffer.concat([rest, block.subarray(0, bytesRead)])
      for (let end = all.indexOf(LINE_FEED); end !== -1; end = all.indexOf(LINE_FEED)) {
        number += 1
        yield { bytes: all.subarray(0, end), number, ended: true }
        all = all.subarray(end + 1)
      }
      // A longer one is no line of ours: its beginning is enough to find that out.
      rest = all.length > LINE_MAX ? all.subarray(0, LINE_MAX + 1) : all
    }
    if (rest.length > 0) yield { bytes: rest, number: number + 1, ended: false }
  } finally {
    await file.close()
  }
}

/** The last line of a file, without its line feed. */
export async function lastLine({ path, bytes }: Segment): Promise<Buffer> {
  if (bytes === 0) return Buffer.alloc(0)
  const file = await openToRead(path)
  try {
    const block = Buffer.alloc(Math.min(bytes, LINE_MAX + 2))
    await file.read(block, 0, block.length, bytes - block.length)
    const end = block.at(-1) === LINE_FEED ? block.length - 1 : block.length
    return block.subarray(block.lastIndexOf(LINE_FEED, end - 1) + 1, end)
  } finally {
    await file.close()
  }
}
