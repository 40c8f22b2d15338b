// Rows of a scan or query as one answer, with the token of the next page.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RecordStream } from '../../../engines/engine.js'
import { GatewayError } from '../../../errors.js'
import { Written, listHead } from '../../../msgpack/encode.js'
import { abortOnClose, sendObject } from '../../../answers/record-stream.js'
import type { StreamSummary } from '../../../schemas/records/search.js'
import { answerWire, sendFrame } from './wire.js'

/** Sends all rows. `token`: whether to add the token of the next page. */
export async function sendRows(
  request: FastifyRequest,
  reply: FastifyReply,
  stream: RecordStream,
  token: boolean,
): Promise<FastifyReply | void> {
  const pagination = ({ returned, cursor }: StreamSummary) => ({
    totalRecords: returned,
    ...(token && cursor !== undefined && { nextToken: cursor }),
  })
  if (answerWire(request) === 'json') {
    return sendObject(
      reply,
      stream,
      '{"records":[',
      () => `],"pagination":${JSON.stringify(pagination(stream.summary()))}}`,
    )
  }
  // A list in MessagePack begins with its length, so it is held in memory as a whole.
  abortOnClose(reply, stream)
  const rows: Buffer[] = []
  let bytes = 0
  for (let chunk = await stream.next(); chunk !== null; chunk = await stream.next()) {
    rows.push(chunk)
    bytes += chunk.length
    if (bytes > request.server.config.bodyLimitBytes) {
      stream.abort()
      throw new GatewayError(
        'answer_too_large',
        'The records do not fit into one answer in MessagePack; use maxRecords',
      )
    }
  }
  const summary = stream.summary()
  const records = new Written(Buffer.concat([listHead(summary.returned), ...rows]))
  return sendFrame(request, reply, { records, pagination: pagination(summary) })
}
