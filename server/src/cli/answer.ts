// What an answer must be to count as a whole one. A proxy may cut one off, or answer in its own words, with status 200.
import type { IncomingMessage } from 'node:http'
import { Walk } from '../msgpack/walk.js'
import { CliFailure } from './failure.js'

export const JSON_TYPE = 'application/json'
export const NDJSON = 'application/x-ndjson'
export const CSV = 'text/csv'
export const MSGPACK = 'application/msgpack'

export type MediaType = typeof JSON_TYPE | typeof NDJSON | typeof CSV | typeof MSGPACK

/** Most bytes of one line or one JSON object. They are in memory until the end of it is there. */
const HELD_MAX = 256 * 1024 * 1024
const [NEWLINE, QUOTE, BRACE] = ['\n', '"', '{'].map((character) => character.charCodeAt(0)) as [number, number, number]

/**
 * The answer in pieces. Those of NDJSON are whole lines.
 *
 * @param expected what it may be; the first, if it does not say
 * @throws CliFailure `answer_invalid`, `cut_off`, or the code with which the server gave up
 */
export function wholePieces(answer: IncomingMessage, expected: readonly MediaType[]): AsyncGenerator<Buffer> {
  const said = answer.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const type = said === undefined ? expected[0] : expected.find((one) => one === said)
  if (type === undefined) {
    answer.destroy()
    throw invalid(`the answer is ${said}, not ${expected.join(' or ')}`)
  }
  return { [JSON_TYPE]: document, [NDJSON]: lines, [CSV]: rows, [MSGPACK]: values }[type](received(answer))
}

const invalid = (message: string): CliFailure =>
  new CliFailure('answer_invalid', `${message}: is there a Tessera server at this address?`)

/** The answer ended before its end. */
export const cutOff = (error: unknown): CliFailure =>
  new CliFailure('cut_off', `the server ended the answer before its end: ${(error as Error).message}`)

const ENDS_EARLY = new Error('the last line or value is not whole')

/** An answer in an encoding that was not asked for cannot be read. */
export function checkEncoding(answer: IncomingMessage): void {
  const encoding = answer.headers['content-encoding'] ?? 'identity'
  if (encoding.trim().toLowerCase() === 'identity') return
  answer.destroy()
  throw invalid(`the answer has the encoding ${encoding}, which was not asked for`)
}

/** @throws CliFailure `answer_invalid` if the text is no JSON object */
export function objectOf(text: string): object {
  const value = parsed(text)
  if (value === undefined) throw invalid('the answer is no JSON object')
  return value
}

function parsed(text: string): object | undefined {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

async function* received(answer: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const piece of answer) yield piece as Buffer
  } catch (error) {
    throw cutOff(error)
  }
}

/** Bytes whose end is not there yet. */
class Held {
  #pieces: Buffer[] = []
  #bytes = 0

  add(piece: Buffer): void {
    if (piece.length === 0) return
    this.#bytes += piece.length
    if (this.#bytes > HELD_MAX) throw invalid(`a line of the answer has more than ${HELD_MAX} bytes`)
    this.#pieces.push(piece)
  }

  take(): Buffer {
    const [first, second] = this.#pieces
    const all = first !== undefined && second === undefined ? first : Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#bytes = 0
    return all
  }
}

async function* document(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const held = new Held()
  for await (const piece of pieces) held.add(piece)
  const all = held.take()
  const text = all.toString()
  if (all[0] === BRACE && parsed(text) === undefined) throw cutOff(ENDS_EARLY)
  objectOf(text)
  yield all.at(-1) === NEWLINE ? all : Buffer.concat([all, Buffer.of(NEWLINE)])
}

async function* lines(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const held = new Held()
  let last: Buffer | undefined
  let begun = false
  try {
    for await (const piece of pieces) {
      if (!begun && piece[0] !== BRACE) throw invalid('the answer has no lines of JSON')
      begun = true
      const end = piece.lastIndexOf(NEWLINE) + 1
      held.add(piece.subarray(0, end === 0 ? undefined : end))
      if (end === 0) continue
      const whole = held.take()
      held.add(piece.subarray(end))
      last = whole.subarray(whole.lastIndexOf(NEWLINE, -2) + 1)
      yield whole
    }
  } catch (error) {
    throw reasonOf(last) ?? error
  }
  const rest = held.take()
  if (rest.length > 0) throw reasonOf(rest) ?? cutOff(ENDS_EARLY)
  if (last === undefined) return
  const reason = reasonOf(last)
  if (reason !== undefined) throw reason
  objectOf(last.toString())
}

interface Marked {
  error: { code?: unknown; message?: unknown; digest?: unknown } | null
}

/** The last line of a server that gave up is `{"error"}`. That of a damaged record has a digest, and the work goes on. */
function reasonOf(line: Buffer | undefined): CliFailure | undefined {
  const value: Partial<Marked> = line === undefined ? {} : (parsed(line.toString()) ?? {})
  const { error, ...others } = value
  if (Object.keys(others).length > 0 || typeof error !== 'object' || error === null) return undefined
  const { code, message, digest } = error
  if (typeof code !== 'string' || typeof message !== 'string' || digest !== undefined) return undefined
  return new CliFailure(code, message)
}

/** MessagePack ends with a whole value. */
async function* values(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const walk = new Walk()
  for await (const piece of pieces) {
    walk.step(piece)
    yield piece
  }
  if (!walk.whole) throw cutOff(ENDS_EARLY)
}

/** CSV ends with a newline outside quotes. */
async function* rows(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let quoted = false
  let last = NEWLINE
  for await (const piece of pieces) {
    for (let at = piece.indexOf(QUOTE); at !== -1; at = piece.indexOf(QUOTE, at + 1)) quoted = !quoted
    last = piece.at(-1) ?? last
    yield piece
  }
  if (quoted || last !== NEWLINE) throw cutOff(ENDS_EARLY)
}
