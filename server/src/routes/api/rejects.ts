// The rows that an import did not take.
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import { GatewayError } from '../../errors.js'
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
    (request) => {
      request.engine.job(request.params.id)
      throw new GatewayError('rejects_not_found', `no rows were kept for job ${request.params.id}`)
    },
  )
}
