// One line of the audit log: JSON with a sequence number, a time, the hash of the line before and its own hash.
import { createHash } from 'node:crypto'

/** Where a chain stands: the number and the hash of its last line. */
export interface Link {
  seq: number
  hash: string
}

/** What the first line of a log follows. */
export const ORIGIN: Link = { seq: 0, hash: '0'.repeat(64) }

/**
 * `intent`: a change is about to be carried out. `outcome`: how it went. `single`: an operation that one entry tells.
 * `segment`: the first line of each file. `checkpoint`: old files are about to be removed. `torn`: a line that a crash
 * cut off was set aside. `gap`: for some time, nothing could be written.
 */
export type Kind = 'intent' | 'outcome' | 'single' | 'start' | 'stop' | 'segment' | 'checkpoint' | 'torn' | 'gap'

/** The members of an entry after its kind. */
export type Facts = Readonly<Record<string, unknown>>

export interface Line extends Link {
  at: string
  prev: string
  kind: string
}

/** Bytes that a line may have. Facts that would be longer are cut before. */
export const LINE_MAX = 64 * 1024

/** What is wrong with a line, as the end of a sentence. */
export class Fault extends Error {}

const HASH_KEY = ',"hash":"'
/** The end of each line: its hash, and the end of the object. */
const TAIL_BYTES = HASH_KEY.length + 64 + 2
const HEAD = /^\{"seq":([1-9]\d{0,15}),"at":"([0-9TZ:.+-]{20,30})","prev":"([0-9a-f]{64})","kind":"([a-z]{1,16})"/
/** As many bytes as the head of a line can have. */
const HEAD_BYTES = 200
const TAIL = /^,"hash":"([0-9a-f]{64})"\}$/

/** The line that follows `last`, without its line feed. */
export function lineAfter(last: Link, at: string, kind: Kind, facts: Facts): { text: string; link: Link } {
  const seq = last.seq + 1
  const body = JSON.stringify({ seq, at, prev: last.hash, kind, ...facts }).slice(0, -1)
  const hash = hashOf(Buffer.from(body))
  return { text: `${body}${HASH_KEY}${hash}"}`, link: { seq, hash } }
}

/**
 * Reads a line without its line feed, and checks its own hash.
 *
 * @throws Fault
 */
export function readLine(line: Buffer): Line {
  const end = line.length - TAIL_BYTES
  const head = HEAD.exec(line.toString('latin1', 0, HEAD_BYTES))
  const tail = end < 0 ? null : TAIL.exec(line.toString('latin1', end))
  if (head === null || tail === null) throw new Fault('it is no entry')
  const [, seq = '', at = '', prev = '', kind = ''] = head
  const [, hash = ''] = tail
  if (hashOf(line.subarray(0, end)) !== hash) throw new Fault('its hash is wrong')
  return { seq: Number(seq), at, prev, kind, hash }
}

/** @throws Fault if `line` does not follow `last` */
export function follow(last: Link, line: Line): void {
  if (line.seq !== last.seq + 1) throw new Fault(`entry ${last.seq + 1} should be here, not ${line.seq}`)
  if (line.prev !== last.hash) throw new Fault('it does not follow the entry before it')
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
