// Sends streams of lines as NDJSON, or as one JSON object around them. Only a few chunks are in memory.
import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { App } from '../app-types.js'
import type { LineStream, RecordStream } from '../engines/engine.js'
import { GatewayError, toFailure } from '../errors.js'
import { encode } from '../msgpack/encode.js'
import { packLines } from './packed-lines.js'
import { PACKED, SEQUENCE, wantsPacked } from './preferred.js'
import type { Gate } from '../overload/gate.js'
import { say } from '../sentences/sentence.js'

const NEWLINE = 0x0a
const COMMA = 0x2c
const NDJSON = 'application/x-ndjson'

/**
 * Sends lines or values as they come. The job and the trailer have the summary. If the work fails on the way, the last of
 * NDJSON and MessagePack is `{"error"}` with the code, and the answer is not ended: no client takes it for a whole one.
 */
export const sendLines = (reply: FastifyReply, stream: Summed, mediaType = NDJSON): Promise<void> =>
  sendPieces(reply, stream, mediaType, (pieces) => pieces)

/** Sends lines of JSON as values of MessagePack. */
export const sendValues = (reply: FastifyReply, stream: Summed): Promise<void> =>
  sendPieces(reply, stream, SEQUENCE, packLines)

async function sendPieces(
  reply: FastifyReply,
  stream: Summed,
  mediaType: string,
  recode: (pieces: AsyncGenerator<Buffer>) => AsyncGenerator<Buffer>,
): Promise<void> {
  abortOnClose(reply, stream)
  const first = await stream.next()
  if (stream.jobId !== undefined) reply.header('x-job-id', stream.jobId)
  reply.type(mediaType)
  if (first === null) return reply.send('')
  reply.trailer('x-summary', (_reply, _payload, done) => {
    done(null, asciiJson(stream.summary()))
  })
  const pieces = recode(lines(stream, first, reply.server))
  const reasonOf = reasons[mediaType]
  return reply.send(readable(reasonOf === undefined ? pieces : withReason(pieces, reasonOf), stream, first))
}

/** A header may only have visible ASCII; bin names may have more. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The end of an object around a stream: its job and summary. */
export const objectEnd = (stream: RecordStream) => (): string =>
  `,"jobId":${JSON.stringify(stream.jobId)},"summary":${JSON.stringify(stream.summary())}}`

/** Sends groups, and the number of other groups. */
export const sendGroups = (reply: FastifyReply, stream: RecordStream): Promise<void> =>
  sendObject(reply, stream, '{"groups":[', () => `],"others":${stream.summary().others ?? 0}${objectEnd(stream)()}`)

/** What is needed to send lines. */
type Lines = Pick<LineStream, 'next' | 'abort'> & Partial<Pick<RecordStream, 'jobId' | 'heldBytes'>>

type Summed = Lines & { summary: () => object }

/** Sends `<head>line,line,...<tail>`; the tail is made after the last line. */
export async function sendObject(reply: FastifyReply, stream: Lines, head: string, tail: () => string): Promise<void> {
  abortOnClose(reply, stream)
  const first = await stream.next()
  const second = first === null ? null : await stream.next()
  if (stream.jobId !== undefined) reply.header('x-job-id', stream.jobId)
  reply.type('application/json')
  if (second === null) {
    const records = first === null ? [] : [commas(first, true)]
    return reply.send(Buffer.concat([Buffer.from(head), ...records, Buffer.from(tail())]))
  }
  const begin: [Buffer, Buffer] = [first as Buffer, second]
  if (wantsPacked(reply.request)) return reply.send(await whole(reply, stream, head, tail, begin))
  return reply.send(readable(object(stream, head, tail, begin, reply.server.gate), stream, ...begin))
}

/** If the client disconnects, the work stops at once, even during the wait for a chunk. */
export function abortOnClose(reply: FastifyReply, stream: Pick<LineStream, 'abort'>): void {
  const abort = () => {
    if (!reply.raw.writableFinished) stream.abort()
  }
  // The client may have disconnected while the stream was opened.
  if (reply.raw.destroyed) abort()
  else reply.raw.once('close', abort)
}

const heldOf = new WeakMap<Readable, number>()

/** About what the gateway and the engine hold of an answer that is sent piece by piece, while nobody reads it. */
export const heldBytesOf = (answer: Readable): number => heldOf.get(answer) ?? answer.readableHighWaterMark

/** Pulls a piece only after the previous one was taken. Data for a slow reader waits in the engine, which bounds it. */
function readable(pieces: AsyncGenerator<Buffer>, stream: Lines, ...begin: Buffer[]): Readable {
  const answer = Readable.from(pieces, { objectMode: false, highWaterMark: 0 })
  const bytes = begin.reduce((sum, { length }) => sum + length, 0)
  heldOf.set(answer, bytes + (stream.heldBytes?.() ?? 0))
  // Another answer may take its place.
  answer.once('close', () => {
    if (!answer.readableEnded) stream.abort()
  })
  return answer
}

/** Waits for its turn before each piece. */
type Yielding = Pick<Gate, 'giveWay'>

type Stopping = Pick<App, 'gate' | 'stop'>

async function* lines(stream: Lines, first: Buffer, { gate, stop }: Stopping): AsyncGenerator<Buffer> {
  for (let chunk: Buffer | null = first; chunk !== null; chunk = await stream.next()) {
    await gate.giveWay(chunk.length)
    // Jobs are called off by the engine, and say so themselves.
    if (stop.closes && stream.jobId === undefined) throw new GatewayError('closed', say('the server is closing'))
    yield chunk
  }
}

interface Reason {
  error: { code: string; message: string }
}

const packed = (reason: Reason): Buffer => encode('msgpack', reason)

/** How a stream says why there is no more of it. Others have no place for it. */
const reasons: Readonly<Record<string, (reason: Reason) => Buffer>> = {
  [NDJSON]: (reason) => Buffer.from(`${JSON.stringify(reason)}\n`),
  [PACKED]: packed,
  [SEQUENCE]: packed,
}

/** The last line or value says why there are no more. */
async function* withReason(pieces: AsyncGenerator<Buffer>, write: (reason: Reason) => Buffer): AsyncGenerator<Buffer> {
  try {
    yield* pieces
  } catch (error) {
    const { code, message } = toFailure(error)
    yield write({ error: { code, message } })
    // The connection closes with what it has not passed on, and it passes on in the next turn.
    await setImmediate()
    throw error
  }
}

/** All of it in memory: a list in MessagePack begins with its length. */
async function whole(
  reply: FastifyReply,
  stream: Lines,
  head: string,
  tail: () => string,
  begin: Buffer[],
): Promise<Buffer> {
  const { gate, config } = reply.server
  const chunks: Buffer[] = []
  let bytes = 0
  for (let chunk = begin.shift() ?? null; chunk !== null; chunk = begin.shift() ?? (await stream.next())) {
    await gate.giveWay(chunk.length)
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes <= config.bodyLimitBytes) continue
    stream.abort()
    throw new GatewayError(
      'answer_too_large',
      say('the answer does not fit into MessagePack; set a lower limit, or use NDJSON'),
    )
  }
  const lines = chunks.map((chunk, at) => commas(chunk, at === chunks.length - 1))
  return Buffer.concat([Buffer.from(head), ...lines, Buffer.from(tail())])
}

async function* object(
  stream: Lines,
  head: string,
  tail: () => string,
  [first, second]: [Buffer, Buffer],
  gate: Yielding,
): AsyncGenerator<Buffer> {
  yield Buffer.from(head)
  await gate.giveWay(first.length)
  yield commas(first, false)
  let held = second
  for (let next = await stream.next(); next !== null; next = await stream.next()) {
    await gate.giveWay(held.length)
    yield commas(held, false)
    held = next
  }
  yield commas(held, true)
  yield Buffer.from(tail())
}

/** Replaces the newline after each line by a comma, in place. JSON has no raw newline in a line. */
function commas(chunk: Buffer, last: boolean): Buffer {
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) chunk[at] = COMMA
  return last && chunk.at(-1) === COMMA ? chunk.subarray(0, -1) : chunk
}
