// Streams of records as answers: NDJSON as it comes, or one JSON object around it. Never more than a few chunks in memory.
import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import type { LineStream, RecordStream } from '../engines/engine.js'
import type { Gate } from '../overload/gate.js'
import type { StreamSummary } from '../schemas/search.js'

const NEWLINE = 0x0a
const COMMA = 0x2c

/** Sends lines as they come. The job has the summary; so has the trailer. */
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

/** A header holds visible ASCII; names of bins may hold more. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** How an object around a stream ends: its job, and what it came to. */
export const objectEnd =
  ({ jobId }: RecordStream) =>
  (summary: StreamSummary): string =>
    `,"jobId":${JSON.stringify(jobId)},"summary":${JSON.stringify(summary)}}`

/** Sends groups, and how many others there were. */
export const sendGroups = (reply: FastifyReply, stream: RecordStream): Promise<void> =>
  sendObject(
    reply,
    stream,
    '{"groups":[',
    (summary) => `],"others":${summary.others ?? 0}${objectEnd(stream)(summary)}`,
  )

/** Sends `<head>record,record,...<tail>`, the tail made when the last record is known. */
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

/** A client that goes away stops the work at once, even while a chunk is being waited for. */
export function abortOnClose(reply: FastifyReply, stream: LineStream): void {
  const abort = () => {
    if (!reply.raw.writableFinished) stream.abort()
  }
  // It may have gone while the stream was being opened.
  if (reply.raw.destroyed) abort()
  else reply.raw.once('close', abort)
}

/** Asks for no piece before the one before it was taken: what waits for a slow reader waits in the engine, which knows its bound. */
const readable = (pieces: AsyncGenerator<Buffer>): Readable =>
  Readable.from(pieces, { objectMode: false, highWaterMark: 0 })

/** Whoever has to give way to others, and waits for it before each piece. */
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

/** Turns the newline after each record into a comma, in place: a record's JSON holds no raw newline. */
function commas(chunk: Buffer, last: boolean): Buffer {
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) chunk[at] = COMMA
  return last && chunk.at(-1) === COMMA ? chunk.subarray(0, -1) : chunk
}
