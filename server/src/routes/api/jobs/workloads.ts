// Workloads: start a run of the load generator, watch it, delete it, compare runs.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import type { Engine } from '../../../engines/engine.js'
import { GatewayError } from '../../../errors.js'
import { attribute } from '../../../answers/attribute.js'
import { confirm } from '../../../requests/confirm.js'
import { waitMs } from '../../../requests/duration.js'
import { listOf } from '../../../requests/job-list.js'
import { checkTitle } from '../../../requests/title.js'
import { ConfirmHeaders } from '../../../schemas/drop.js'
import { IdempotencyHeaders } from '../../../schemas/idempotency.js'
import { Wait } from '../../../schemas/quantities.js'
import { Id } from '../../../schemas/words.js'
import {
  CompareQuery,
  Comparison,
  Workload,
  WorkloadLatency,
  WorkloadPage,
  WorkloadRun,
  WorkloadSpec,
} from '../../../schemas/jobs/workloads.js'
import { WorkloadsQuery } from '../../../schemas/jobs/list.js'
import { say } from '../../../sentences/sentence.js'

const tags = ['workloads']
const params = Type.Object({ id: Id('Id of the run.', '001m87358ts00') })
const waitQuery = Type.Object({ wait: Wait }, { additionalProperties: false })

export function workloadRoutes(app: App): void {
  app.get(
    '/workloads',
    {
      schema: {
        operationId: 'listWorkloads',
        tags,
        summary: 'List workload runs',
        description:
          'Answers runs of the load generator, newest first. The server keeps the newest 10,000, in files of at most 2 GiB. ' +
          'If there are more, the namespace with the most runs loses its oldest.',
        querystring: WorkloadsQuery,
        response: { 200: WorkloadPage },
      },
    },
    (request) => listOf(request.query, (query) => request.engine.workloads(query)),
  )

  app.post(
    '/workloads',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'startWorkload',
        tags,
        summary: 'Run a workload',
        description:
          'Runs the load generator inside the server, as a job with the same id. With `targetTps` latency ' +
          'counts from when an operation was due, so that a stall of the server is not hidden. A run that ' +
          'writes needs `X-Confirm` in production.',
        querystring: waitQuery,
        headers: Type.Object({ ...ConfirmHeaders.properties, ...IdempotencyHeaders.properties }),
        body: WorkloadSpec,
        response: { 202: Workload },
      },
    },
    async (request, reply) => {
      const { body, query } = request
      if (body.name !== undefined) checkTitle(body.name)
      if (!onlyReads(body.workload) || body.fill === true) {
        confirm(app.config, request.headers['x-confirm'], body.namespace)
      }
      const run = await request.engine.startWorkload(body)
      attribute(request, run.id)
      if (query.wait !== undefined) await request.engine.waitJob(run.id, waitMs(query.wait))
      const { frames: _, ...answer } = await request.engine.workload(run.id)
      return reply.code(202).header('location', `/api/v1/workloads/${run.id}`).send(answer)
    },
  )

  app.get(
    '/workloads/compare',
    {
      schema: {
        operationId: 'compareWorkloads',
        tags,
        summary: 'Compare workload runs',
        description:
          'Compares runs with the first of them, with 99% confidence intervals: percentiles by the histograms of the ' +
          'runs, all else by the means of their seconds. Differences under 5%, of percentiles under 6.25%, count as none. ' +
          'Shares are compared by the ratio of their misses, or of their hits if ' +
          'those are fewer; a ratio between 0.8 and 1.25 counts as none.',
        querystring: CompareQuery,
        response: { 200: Comparison },
      },
    },
    (request) => {
      const { ids } = request.query
      if (ids === undefined) throw new GatewayError('field_missing', say('the query needs ids'), { field: 'ids' })
      return request.engine.compareWorkloads(ids.split(','))
    },
  )

  app.get(
    '/workloads/:id',
    {
      schema: {
        operationId: 'getWorkload',
        tags,
        summary: 'Show a workload run',
        description:
          'Answers a run with its intervals so far. With `wait` it answers as soon as the run ends, or when the ' +
          'time is over.',
        params,
        querystring: waitQuery,
        response: { 200: WorkloadRun },
      },
    },
    (request) => runAt(request.engine, request.params.id, request.query.wait),
  )

  app.get(
    '/workloads/:id/latency',
    {
      schema: {
        operationId: 'getWorkloadLatency',
        tags,
        summary: 'Read the histograms of a workload run',
        description:
          'Answers the latencies of a run in at most 60 steps of equal length, each the exact sum of its intervals. Latency ' +
          'counts from when an operation was due. Runs of versions that kept no histograms have no steps.',
        params,
        response: { 200: WorkloadLatency },
      },
    },
    (request) => request.engine.workloadLatency(request.params.id),
  )

  app.delete(
    '/workloads/:id',
    {
      schema: {
        operationId: 'removeWorkload',
        tags,
        summary: 'Abort or forget a workload run',
        description: 'Aborts a run that still runs, or deletes the record of one that ended. It answers the run.',
        params,
        response: { 200: Workload },
      },
    },
    (request) => request.engine.removeWorkload(request.params.id),
  )
}

/** Whether a mix writes nothing. An unknown mix counts as writing. */
const onlyReads = (workload = '') => ['RU,100', 'YCSB,C', 'YCSB,c'].includes(workload)

/** A run as it is now or, with `wait`, as soon as it has ended. */
async function runAt(engine: Engine, id: string, wait: string | undefined): Promise<WorkloadRun> {
  const run = await engine.workload(id)
  if (wait === undefined || run.endedAt !== undefined) return run
  await engine.waitJob(id, waitMs(wait))
  return engine.workload(id)
}
