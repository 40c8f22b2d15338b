// Sends streams of records as NDJSON, or as one JSON object around them. Only a few chunks are in memory.
import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import type { LineStream, RecordStream } from '../engines/engine.js'
import type { Gate } from '../overload/gate.js'
import type { StreamSummary } from '../schemas/records/search.js'

const NEWLINE = 0x0a
const COMMA = 0x2c

/** Sends lines as they come. The job and the trailer have the summary. */
export async function sendLines(
  reply: FastifyReply,
  stream: LineStream & { jobId?: string },
  mediaType = 'application/x-ndjson',
): Promise<void> {
  abortOnClose(reply, stream)
  const first = await stream.next()
  if (stream.jobId !== undefined) reply.header('x-job-id', stream.jobId)
  reply.type(mediaType)
  if (first === null) return reply.send('')
  reply.trailer('x-summary', (_reply, _payload, done) => {
    done(null, asciiJson(stream.summary()))
  })
  return reply.send(readable(lines(stream, first, reply.server.gate)))
}

/** A header may only have visible ASCII; bin names may have more. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The end of an object around a stream: its job and summary. */
export const objectEnd =
  ({ jobId }: RecordStream) =>
  (summary: StreamSummary): string =>
    `,"jobId":${JSON.stringify(jobId)},"summary":${JSON.stringify(summary)}}`

/** Sends groups, and the number of other groups. */
export const sendGroups = (reply: FastifyReply, stream: RecordStream): Promise<void> =>
  sendObject(
    reply,
    stream,
    '{"groups":[',
    (summary) => `],"others":${summary.others ?? 0}${objectEnd(stream)(summary)}`,
  )

/** Sends `<head>record,record,...<tail>`; the tail is made after the last record. */
export async function sendObject(
  reply: FastifyReply,
  stream: RecordStream,
  head: string,
  tail: (summary: StreamSummary) => string,
): Promise<void> {
  abortOnClose(reply, stream)
  const first = await stream.next()
  const second = first === null ? null : await stream.next()
  reply.header('x-job-id', stream.jobId).type('application/json')
  if (second === null) {
    const records = first === null ? [] : [commas(first, true)]
    return reply.send(Buffer.concat([Buffer.from(head), ...records, Buffer.from(tail(stream.summary()))]))
  }
  return reply.send(readable(object(stream, head, tail, [first as Buffer, second], reply.server.gate)))
}

/** If the client disconnects, the work stops at once, even during the wait for a chunk. */
export function abortOnClose(reply: FastifyReply, stream: LineStream): void {
  const abort = () => {
    if (!reply.raw.writableFinished) stream.abort()
  }
  // The client may have disconnected while the stream was opened.
  if (reply.raw.destroyed) abort()
  else reply.raw.once('close', abort)
}

/** Pulls a piece only after the previous one was taken. Data for a slow reader waits in the engine, which bounds it. */
const readable = (pieces: AsyncGenerator<Buffer>): Readable =>
  Readable.from(pieces, { objectMode: false, highWaterMark: 0 })

/** Waits for its turn before each piece. */
type Yielding = Pick<Gate, 'giveWay'>

async function* lines(stream: LineStream, first: Buffer, gate: Yielding): AsyncGenerator<Buffer> {
  for (let chunk: Buffer | null = first; chunk !== null; chunk = await stream.next()) {
    await gate.giveWay(chunk.length)
    yield chunk
  }
}

async function* object(
  stream: RecordStream,
  head: string,
  tail: (summary: StreamSummary) => string,
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
  yield Buffer.from(tail(stream.summary()))
}

/** Replaces the newline after each record by a comma, in place. The JSON of a record has no raw newline. */
function commas(chunk: Buffer, last: boolean): Buffer {
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) chunk[at] = COMMA
  return last && chunk.at(-1) === COMMA ? chunk.subarray(0, -1) : chunk
}
