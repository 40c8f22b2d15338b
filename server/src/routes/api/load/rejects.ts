// The rejected rows of an import.
import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { CSV, LINES, PACKED } from '../../../answers/preferred.js'
import type { RejectStream } from '../../../engines/engine.js'
import { JobId } from '../../../schemas/words.js'
import { RejectedRow, RejectsQuery } from '../../../schemas/load/rejects.js'

export function rejectRoutes(app: App): void {
  app.get(
    '/jobs/:id/rejects',
    {
      exposeHeadRoute: false,
      config: { produces: [LINES, CSV, PACKED, 'application/octet-stream'] },
      schema: {
        operationId: 'getRejects',
        tags: ['load'],
        summary: 'Download rejected rows',
        description:
          'Streams the rejected rows of an import, in the order they were found. With `form=rows` you get the ' +
          'rows themselves, to repair and import again. They are kept as long as the job.',
        params: Type.Object({ id: JobId }),
        querystring: RejectsQuery,
        response: {
          200: {
            description: 'The rejected rows.',
            content: {
              [LINES]: { schema: RejectedRow },
              [CSV]: {
                schema: Type.String({ description: 'The rows as you sent them.', examples: ['id,n\n,3\n'] }),
              },
              [PACKED]: {
                schema: Type.Unsafe<string>({
                  type: 'string',
                  format: 'binary',
                  examples: ['\u0081\u00a3key\u0001'],
                  description: 'The values as you sent them.',
                }),
              },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const { form = 'lines' } = request.query
      const format = form === 'lines' ? 'ndjson' : formatOf(request.engine.job(id).parameters['format'])
      const stream = await request.engine.rejects(id, format === 'msgpack' ? 'values' : form)
      reply.header('content-disposition', `attachment; filename="${id}.rejects.${format}"`)
      reply.type(mediaTypes[format])
      // Read the first piece now: a failure can still become an error status.
      const first = await stream.next()
      return send(reply, stream, first)
    },
  )
}

const mediaTypes = { ndjson: LINES, csv: 'text/csv; charset=utf-8', msgpack: PACKED } as const

const formatOf = (format: unknown): keyof typeof mediaTypes =>
  format === 'csv' || format === 'msgpack' ? format : 'ndjson'

/** Streams with backpressure. */
function send(reply: FastifyReply, stream: RejectStream, first: Buffer | null): FastifyReply {
  return reply.send(Readable.from(pieces(stream, first), { objectMode: false }))
}

/** Also ends if nobody reads on. */
async function* pieces(stream: RejectStream, first: Buffer | null): AsyncGenerator<Buffer> {
  try {
    for (let piece = first; piece !== null; piece = await stream.next()) yield piece
  } finally {
    stream.close()
  }
}
