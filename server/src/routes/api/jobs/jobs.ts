// Jobs: list, start, show or wait for, change, abort.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { refuseJobIfReadOnly } from '../../../auth/changes.js'
import { aggregateOf, json, whereOf } from '../../../bodies/rule.js'
import type { MaybePromise, TallySpec } from '../../../engines/engine.js'
import { GatewayError } from '../../../errors.js'
import { accepted } from '../../../answers/accepted.js'
import { confirm } from '../../../requests/confirm.js'
import { waitMs } from '../../../requests/duration.js'
import { momentOf } from '../../../requests/moment.js'
import { listOf } from '../../../requests/job-list.js'
import { ConfirmHeaders } from '../../../schemas/drop.js'
import { IdempotencyHeaders } from '../../../schemas/idempotency.js'
import { Wait } from '../../../schemas/quantities.js'
import { JobId } from '../../../schemas/words.js'
import { Job, JobPage, JobPatch, JobRequest } from '../../../schemas/jobs/jobs.js'
import { JobsQuery } from '../../../schemas/jobs/list.js'
import { say } from '../../../sentences/sentence.js'

const tags = ['jobs']
const params = Type.Object({ id: JobId })

/** The kinds that can be started here, with their fields besides `kind` and `namespace`, and their start. */
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
    takes: ['set', 'before', 'forGood'],
    start: (request, { namespace, set, before, forGood }) => {
      if (set === '')
        throw new GatewayError('name_invalid', say('a truncation needs the name of a set'), { field: 'set' })
      confirm(request.server.config, request.headers['x-confirm']?.toString(), set ?? namespace)
      return request.engine.truncate(namespace, set, momentOf(before), forGood)
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
  app.get(
    '/jobs',
    {
      schema: {
        operationId: 'listJobs',
        tags,
        summary: 'List jobs',
        description:
          'Answers jobs, newest first. The server keeps ended jobs over a restart: the newest 10,000 of each kind, and ' +
          'the newest 10,000 of scans, counts, queries and streams together, within 32 MiB.',
        querystring: JobsQuery,
        response: { 200: JobPage },
      },
    },
    (request) => listOf(request.query, (query) => request.engine.jobs(query)),
  )

  app.post(
    '/jobs',
    {
      config: { idempotent: true, body: json({ raw: ['where', 'aggregate'] }) },
      schema: {
        operationId: 'startJob',
        tags,
        summary: 'Start a job',
        description:
          'Starts long-running work and answers its job; the result is in `result` once it is done. Other kinds ' +
          'of jobs start with their own calls, such as an import. A truncation needs `X-Confirm` in production.',
        querystring: Type.Object({ wait: Wait }, { additionalProperties: false }),
        headers: Type.Object({ ...ConfirmHeaders.properties, ...IdempotencyHeaders.properties }),
        body: JobRequest,
        response: { 202: Job },
      },
    },
    async (request, reply) => {
      refuseJobIfReadOnly(app.config, request.body.kind)
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
        summary: 'Show a job',
        description:
          'Answers a job and its progress. With `wait` it answers as soon as the job ends, or when the time is ' +
          'over.',
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
        summary: 'Change a running job',
        description:
          'Changes threads or throttle, or pauses or resumes a job. A job that ended answers `job_finished`.',
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
        summary: 'Abort a job',
        description:
          'Aborts a job. Its unfinished work leaves nothing half-made; records that were already written stay. A ' +
          'truncation cannot be aborted (`unsupported`), because its records are gone at once: undo it.',
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
    const message = say('kind must be one of {names}, got {given}', {
      names: Object.keys(kinds).join(', '),
      given: kind,
    })
    throw new GatewayError('job_kind_unsupported', message, { field: 'kind' })
  }
  const taken = ['namespace', ...known.takes]
  const other = Object.keys(wanted).find((field) => !taken.includes(field))
  if (other !== undefined) {
    throw new GatewayError('field_unknown', say('a job of kind {kind} has no field {other}', { kind, other }), {
      field: other,
    })
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
