// Sample data: generated events, streamed as they are read.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { sendLines } from '../../../answers/record-stream.js'
import { SampleEventsQuery } from '../../../schemas/load/sample-events.js'

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
        summary: 'Generate sample events',
        description:
          'Streams events shaped like those of the GitHub Archive, generated while you read. Row n depends only ' +
          'on the seed and on n, so that the same query gives the same file everywhere.',
        querystring: SampleEventsQuery,
        response: {
          200: {
            description: 'The events.',
            content: {
              'text/csv': {
                schema: Type.String({
                  description: 'One record per line, under a line of names.',
                  examples: ['event_id,event_type\n1,PushEvent\n'],
                }),
              },
              'application/x-ndjson': {
                schema: Type.String({
                  description: 'One JSON object per line.',
                  examples: ['{"event_id":1,"event_type":"PushEvent"}\n'],
                }),
              },
            },
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
