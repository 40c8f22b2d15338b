// Jobs: list, start, look at or wait for, change, abort.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import type { MaybePromise, TallySpec } from '../../engines/engine.js'
import { GatewayError } from '../../errors.js'
import { accepted } from '../../rest/accepted.js'
import { acceptControlJson, aggregateOf, whereOf } from '../../rest/body.js'
import { confirm } from '../../rest/confirm.js'
import { waitMs } from '../../rest/duration.js'
import { momentOf } from '../../rest/moment.js'
import { pageOf } from '../../rest/page.js'
import { ConfirmHeaders } from '../../schemas/drop.js'
import { IdempotencyHeaders } from '../../schemas/idempotency.js'
import { PageQuery } from '../../schemas/pages.js'
import { Wait } from '../../schemas/quantities.js'
import { Name } from '../../schemas/words.js'
import { Job, JobKind, JobPage, JobPatch, JobRequest, JobState } from '../../schemas/jobs.js'

const tags = ['jobs']
const params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })

/** The kinds that can be started here: the fields each takes beside `kind` and `namespace`, and how it begins. */
const kinds: Record<
  string,
  { takes: readonly string[]; start: (request: FastifyRequest, body: Wanted) => MaybePromise<Job> }
> = {
  scan: {
    takes: ['set', 'where', 'sample', 'aggregate', 'useIndex', 'plan', 'threads', 'recordsPerSecond'],
    start: tally('scan'),
  },
  count: { takes: ['set', 'where', 'sample', 'aggregate', 'threads', 'recordsPerSecond'], start: tally('count') },
  truncate: {
    takes: ['set', 'before'],
    start: (request, { namespace, set, before }) => {
      if (set === '')
        throw new GatewayError('name_invalid', 'a truncation is of a set that has a name', { field: 'set' })
      confirm(request.server.config, request.headers['x-confirm']?.toString(), set ?? namespace)
      return request.engine.truncate(namespace, set, momentOf(before))
    },
  },
  scrub: {
    takes: ['bytesPerSecond'],
    start: (request, { namespace, bytesPerSecond }) => request.engine.scrub(namespace, bytesPerSecond),
  },
  calibrate: { takes: [], start: (request, { namespace }) => request.engine.calibrate(namespace) },
  compaction: { takes: [], start: (request, { namespace }) => request.engine.compact(namespace) },
}

export function jobRoutes(app: App): void {
  acceptControlJson(app, ['where', 'aggregate'])

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

  app.post(
    '/jobs',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'startJob',
        tags,
        summary: 'Start long work that answers with its job',
        description:
          'scan reads every record and counts records and bytes; count counts what matches, by the best index; ' +
          'truncate deletes all, or what was last updated before a time; ' +
          'scrub reads all that a device namespace stores and names the records that are damaged; calibrate measures for a few seconds ' +
          'what its devices cost a scan, for the plans to come; compaction gives the room of half-empty pages back, in a paged namespace. ' +
          "What it came to is in the job's result.",
        querystring: Type.Object({ wait: Wait }, { additionalProperties: false }),
        headers: Type.Object({ ...ConfirmHeaders.properties, ...IdempotencyHeaders.properties }),
        body: JobRequest,
        response: { 202: Job },
      },
    },
    async (request, reply) => {
      const job = await start(request, request.body)
      return accepted(request.engine, reply, job, request.query.wait)
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

type Wanted = Omit<JobRequest, 'kind'>

/** @throws GatewayError `job_kind_unsupported`, `field_unknown` */
function start(request: FastifyRequest, { kind, ...wanted }: JobRequest): MaybePromise<Job> {
  const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  if (known === undefined) {
    const message = `jobs of kind ${kind} are not started here; ${Object.keys(kinds).join(', ')} are`
    throw new GatewayError('job_kind_unsupported', message, { field: 'kind' })
  }
  const taken = ['namespace', ...known.takes]
  const other = Object.keys(wanted).find((field) => !taken.includes(field))
  if (other !== undefined) {
    throw new GatewayError('field_unknown', `a job of kind ${kind} takes no ${other}`, { field: other })
  }
  return known.start(request, wanted)
}

function tally(kind: TallySpec['kind']) {
  return (request: FastifyRequest, { namespace, where, aggregate, ...rest }: Wanted): Promise<Job> => {
    const spec: TallySpec = {
      threads: request.server.config.defaultThreads,
      ...rest,
      kind,
      ...whereOf(where),
      ...aggregateOf(aggregate),
    }
    return request.engine.tally(namespace, spec)
  }
}
