// The rows that an import did not take.
import type { FastifyReply } from 'fastify'
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import type { RejectStream } from '../../engines/engine.js'
import { RejectedRow, RejectsQuery } from '../../schemas/load.js'

export function rejectRoutes(app: App): void {
  app.get(
    '/jobs/:id/rejects',
    {
      exposeHeadRoute: false,
      config: { produces: ['application/x-ndjson', 'text/csv', 'application/octet-stream'] },
      schema: {
        operationId: 'getRejects',
        tags: ['load'],
        summary: 'Download the rows that an import did not take',
        description:
          'One object a reject, in the order in which they were found. With form=rows the rows themselves, in the format of the upload, ' +
          'so that they can be mended and loaded again. Kept as long as the record of the job.',
        params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) }),
        querystring: RejectsQuery,
        response: {
          200: {
            description: 'the file',
            content: { 'application/x-ndjson': { schema: RejectedRow }, 'text/csv': { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const { form = 'lines' } = request.query
      const stream = await request.engine.rejects(id, form)
      const csv = form === 'rows' && request.engine.job(id).parameters['format'] === 'csv'
      reply.header('content-disposition', `attachment; filename="${id}.rejects.${csv ? 'csv' : 'ndjson'}"`)
      reply.type(csv ? 'text/csv; charset=utf-8' : 'application/x-ndjson')
      // The first piece shows whether the file can be read, while there is still a status to answer.
      const first = await stream.next()
      return send(reply, stream, first)
    },
  )
}

/** No faster than the client reads. */
function send(reply: FastifyReply, stream: RejectStream, first: Buffer | null): FastifyReply {
  return reply.send(Readable.from(pieces(stream, first), { objectMode: false }))
}

/** Ends when nobody reads on, too. */
async function* pieces(stream: RejectStream, first: Buffer | null): AsyncGenerator<Buffer> {
  try {
    for (let piece = first; piece !== null; piece = await stream.next()) yield piece
  } finally {
    stream.close()
  }
}
