// Workloads: start a run of the load generator, watch it, keep it, compare it.
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import type { Engine } from '../../engines/engine.js'
import { GatewayError } from '../../errors.js'
import { attribute } from '../../rest/attribute.js'
import { confirm } from '../../rest/confirm.js'
import { waitMs } from '../../rest/duration.js'
import { pageOf } from '../../rest/page.js'
import { ConfirmHeaders } from '../../schemas/drop.js'
import { IdempotencyHeaders } from '../../schemas/idempotency.js'
import { PageQuery } from '../../schemas/pages.js'
import { Wait } from '../../schemas/quantities.js'
import { CompareQuery, Comparison, Workload, WorkloadPage, WorkloadRun, WorkloadSpec } from '../../schemas/workloads.js'

const tags = ['workloads']
const params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })
const waitQuery = Type.Object({ wait: Wait }, { additionalProperties: false })

export function workloadRoutes(app: App): void {
  app.get(
    '/workloads',
    {
      schema: {
        operationId: 'listWorkloads',
        tags,
        summary: 'Runs of the load generator, newest first; the last 200 are kept',
        querystring: PageQuery,
        response: { 200: WorkloadPage },
      },
    },
    (request) => pageOf(request.engine.workloads(), request.query, (run) => run.id),
  )

  app.post(
    '/workloads',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'startWorkload',
        tags,
        summary: 'Run the load generator on a namespace',
        description:
          'The run is a job of kind workload with the same id. With targetTps every operation has a time at which it is due, ' +
          'and latency counts from then: a stall of the server is not hidden by a client that waits for it.',
        querystring: waitQuery,
        headers: Type.Object({ ...ConfirmHeaders.properties, ...IdempotencyHeaders.properties }),
        body: WorkloadSpec,
        response: { 202: Workload },
      },
    },
    async (request, reply) => {
      const { body, query } = request
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
        summary: 'Whether runs differ from the first of them',
        description:
          'Means of the seconds with 99% confidence intervals. Differences under 5% (under half a point of a share) are none.',
        querystring: CompareQuery,
        response: { 200: Comparison },
      },
    },
    (request) => {
      const { ids } = request.query
      if (ids === undefined) throw new GatewayError('field_missing', 'the query needs ids', { field: 'ids' })
      return request.engine.compareWorkloads(ids.split(','))
    },
  )

  app.get(
    '/workloads/:id',
    {
      schema: {
        operationId: 'getWorkload',
        tags,
        summary: 'One run with its seconds so far; ?wait=2s answers as soon as it has ended',
        params,
        querystring: waitQuery,
        response: { 200: WorkloadRun },
      },
    },
    (request) => runAt(request.engine, request.params.id, request.query.wait),
  )

  app.delete(
    '/workloads/:id',
    {
      schema: {
        operationId: 'removeWorkload',
        tags,
        summary: 'Abort a run that goes on, or forget one that has ended',
        params,
        response: { 200: Workload },
      },
    },
    (request) => request.engine.removeWorkload(request.params.id),
  )
}

/** Whether a mix writes nothing; one that is written otherwise is taken for one that does. */
const onlyReads = (workload = '') => ['RU,100', 'YCSB,C', 'YCSB,c'].includes(workload)

/** A run as it is, or as soon as it has ended. */
async function runAt(engine: Engine, id: string, wait: string | undefined): Promise<WorkloadRun> {
  const run = await engine.workload(id)
  if (wait === undefined || run.endedAt !== undefined) return run
  await engine.waitJob(id, waitMs(wait))
  return engine.workload(id)
}
