// Jobs: list, look at or wait for, change, abort.
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import { waitMs } from '../../rest/duration.js'
import { pageOf } from '../../rest/page.js'
import { PageQuery } from '../../schemas/pages.js'
import { Wait } from '../../schemas/quantities.js'
import { Name } from '../../schemas/words.js'
import { Job, JobKind, JobPage, JobPatch, JobState } from '../../schemas/jobs.js'

const tags = ['jobs']
const params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })

export function jobRoutes(app: App): void {
  app.get(
    '/jobs',
    {
      schema: {
        operationId: 'listJobs',
        tags,
        summary: 'Jobs, newest first; the last 500 are kept',
        querystring: Type.Object(
          {
            ...PageQuery.properties,
            namespace: Type.Optional(Name),
            kind: Type.Optional(JobKind),
            state: Type.Optional(JobState),
          },
          { additionalProperties: false },
        ),
        response: { 200: JobPage },
      },
    },
    (request) => {
      const { namespace, kind, state, ...page } = request.query
      const wanted = (job: Job) =>
        (namespace === undefined || job.namespace === namespace) &&
        (kind === undefined || job.kind === kind) &&
        (state === undefined || job.state === state)
      return pageOf(request.engine.jobs().filter(wanted), page, (job) => job.id)
    },
  )

  app.get(
    '/jobs/:id',
    {
      schema: {
        operationId: 'getJob',
        tags,
        summary: 'One job; ?wait=2s answers as soon as it has ended',
        params,
        querystring: Type.Object({ wait: Wait }, { additionalProperties: false }),
        response: { 200: Job },
      },
    },
    (request) => {
      const { wait } = request.query
      return wait === undefined
        ? request.engine.job(request.params.id)
        : request.engine.waitJob(request.params.id, waitMs(wait))
    },
  )

  app.patch(
    '/jobs/:id',
    {
      schema: {
        operationId: 'updateJob',
        tags,
        summary: 'Change threads or throttle while it runs, pause, resume',
        params,
        body: JobPatch,
        response: { 200: Job },
      },
    },
    (request) => request.engine.patchJob(request.params.id, request.body),
  )

  app.delete(
    '/jobs/:id',
    {
      schema: {
        operationId: 'abortJob',
        tags,
        summary: 'Abort a job; nothing is left half-made',
        params,
        response: { 200: Job },
      },
    },
    (request) => request.engine.abortJob(request.params.id),
  )
}
