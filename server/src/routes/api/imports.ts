// Uploads that broke off: where they are, the rest of them, their end.
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import { GatewayError } from '../../errors.js'
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
    (request) => {
      throw notFound(request.params.jobId)
    },
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
    (request) => {
      throw notFound(request.params.jobId)
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
    (request) => {
      throw notFound(request.params.jobId)
    },
  )
}

const notFound = (id: string) => new GatewayError('import_not_found', `there is no import ${id.slice(0, 32)}`)
