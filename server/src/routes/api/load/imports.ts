// Uploads that broke off: progress, resume, give up.
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { Job } from '../../../schemas/jobs/jobs.js'
import { JobId } from '../../../schemas/words.js'
import { ImportReport } from '../../../schemas/load/import.js'
import { ImportOffset, ImportProgress } from '../../../schemas/load/imports.js'

const tags = ['load']
const params = Type.Object({ jobId: JobId })

export function importsRoutes(app: App): void {
  app.get(
    '/imports/:jobId',
    {
      schema: {
        operationId: 'getImport',
        tags,
        summary: 'Show how far an upload is',
        description:
          'Answers where an unfinished upload continues. For an import that ended, it answers `job_finished`; ' +
          'look at the job instead.',
        params,
        response: { 200: ImportProgress },
      },
    },
    (request) => app.uploads.progress(request.params.jobId),
  )

  app.put(
    '/imports/:jobId',
    {
      config: {
        idempotent: false,
        body: 'stream',
        requestBody: {
          'application/octet-stream': Type.String({
            description: 'The rest of the stream.',
            examples: ['2,PushEvent\n'],
          }),
        },
      },
      schema: {
        operationId: 'resumeImport',
        tags,
        summary: 'Resume an upload',
        description:
          'Sends the rest of an upload that broke off, from byte `offset`, compressed as before. It answers ' +
          'like the import itself. If it breaks off again, it can be resumed again. A wrong offset is refused ' +
          'with `import_offset`.',
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
        summary: 'Give up an upload',
        description: 'Ends an unfinished upload and its job. Rows that were already stored stay.',
        params,
        response: { 200: Job },
      },
    },
    (request) => app.uploads.end(request.params.jobId),
  )
}
