// Sample data: generated events, streamed as they are read.
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import { sendLines } from '../../rest/record-stream.js'
import { SampleEventsQuery } from '../../schemas/sample-events.js'

const mediaTypes = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const

export function sampleEventRoutes(app: App): void {
  app.get(
    '/sample-events',
    {
      exposeHeadRoute: false,
      config: { produces: ['text/csv', 'application/x-ndjson', 'application/octet-stream'] },
      schema: {
        operationId: 'sampleEvents',
        tags: ['load'],
        summary: "Events shaped like the GitHub Archive's, made as they are read",
        description:
          'About 2 KB each. Row n depends on the seed and on n alone, so the same query gives the same file everywhere, and fewer rows are the beginning of more.',
        querystring: SampleEventsQuery,
        response: {
          200: {
            description: 'the file',
            content: { 'text/csv': { schema: Type.String() }, 'application/x-ndjson': { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      const { rows = 1000, first = 0, seed = 1, format = 'csv' } = request.query
      const stream = await app.streams.open(reply, () => request.engine.sampleEvents({ rows, first, seed, format }))
      reply.header('content-disposition', `attachment; filename="events.${format}"`)
      return sendLines(reply, stream, mediaTypes[format])
    },
  )
}
