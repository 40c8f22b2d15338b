// Uploads that broke off: where they are, the rest of them, their end.
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import { acceptStream } from '../../rest/body.js'
import { Job } from '../../schemas/jobs.js'
import { ImportOffset, ImportProgress, ImportReport } from '../../schemas/load.js'

const tags = ['load']
const params = Type.Object({ jobId: Type.String({ minLength: 1, maxLength: 64 }) })

export function importsRoutes(app: App): void {
  acceptStream(app)

  app.get(
    '/imports/:jobId',
    {
      schema: {
        operationId: 'getImport',
        tags,
        summary: 'How far an upload has come',
        description: 'Of an import that has ended (`job_finished`) the job tells how.',
        params,
        response: { 200: ImportProgress },
      },
    },
    (request) => app.uploads.progress(request.params.jobId),
  )

  app.put(
    '/imports/:jobId',
    {
      config: { idempotent: false, requestBody: { 'application/octet-stream': Type.String() } },
      schema: {
        operationId: 'resumeImport',
        tags,
        summary: 'Send the rest of an upload that broke off',
        description:
          'The body is the stream of POST /api/v1/namespaces/{ns}/import from byte `offset` on, packed as it was there. ' +
          'The answer is that of the POST; an upload that breaks off again waits again.',
        params,
        querystring: ImportOffset,
        response: { 200: ImportReport },
      },
    },
    async (request, reply) => {
      const { jobId } = request.params
      const length = Number(request.headers['content-length'] ?? 0)
      const upload = await app.uploads.goOn(jobId, request.query.offset, length)
      reply.header('x-job-id', jobId)
      // An upload may have broken off after its last byte.
      const rest = request.body === undefined ? Readable.from([]) : (request.body as Readable)
      return { jobId, ...(await app.uploads.receive(upload, rest)) }
    },
  )

  app.delete(
    '/imports/:jobId',
    {
      schema: {
        operationId: 'endImport',
        tags,
        summary: 'Give up an upload; rows that were already stored stay',
        params,
        response: { 200: Job },
      },
    },
    (request) => app.uploads.end(request.params.jobId),
  )
}
