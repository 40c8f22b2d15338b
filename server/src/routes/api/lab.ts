// The lab: experiments with their published figures, and their runs here.
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import { experiments } from '../../lab/experiments.js'
import { LabRuns } from '../../lab/runs.js'
import { pageOf } from '../../rest/page.js'
import { IdempotencyHeaders } from '../../schemas/idempotency.js'
import { Lab, LabRequest, LabRun, LabRunPage } from '../../schemas/lab.js'
import { PageQuery } from '../../schemas/pages.js'

const tags = ['lab']
const params = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })

export function labRoutes(app: App): void {
  const runs = new LabRuns(app, experiments)
  app.addHook('onReady', async () => {
    // An instance that only describes the API has no data directory.
    if (app.hasDecorator('engine')) await runs.open(app.engine.settled())
  })
  app.addHook('preClose', () => runs.close())

  app.get(
    '/lab',
    {
      schema: {
        operationId: 'getLab',
        tags,
        summary: 'Experiments, with what was published of each',
        response: { 200: Lab },
      },
    },
    () => ({
      experiments: experiments.map(({ id, title, repeats, published }) => ({ id, title, repeats, published })),
    }),
  )

  app.post(
    '/lab',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'runExperiment',
        tags,
        summary: 'Repeat a published measurement on this machine',
        description:
          'The experiment creates namespaces of its own, drives load through this API, and drops them. One runs at a time.',
        headers: IdempotencyHeaders,
        body: LabRequest,
        response: { 202: LabRun },
      },
    },
    async (request, reply) => {
      const run = await runs.start(request.body)
      void reply.code(202).header('location', `/api/v1/lab/runs/${run.id}`)
      return run
    },
  )

  app.get(
    '/lab/runs',
    {
      schema: {
        operationId: 'listLabRuns',
        tags,
        summary: 'Runs of experiments, newest first; the last 50 are kept',
        querystring: PageQuery,
        response: { 200: LabRunPage },
      },
    },
    (request) => pageOf(runs.list(), request.query, (run) => run.id),
  )

  app.get(
    '/lab/runs/:id',
    {
      schema: {
        operationId: 'getLabRun',
        tags,
        summary: 'One run: its progress, then its report',
        params,
        response: { 200: LabRun },
      },
    },
    (request) => runs.get(request.params.id),
  )

  app.delete(
    '/lab/runs/:id',
    {
      schema: {
        operationId: 'removeLabRun',
        tags,
        summary: 'Abort a run that goes on, or forget one that has ended',
        params,
        response: { 200: LabRun },
      },
    },
    (request) => runs.remove(request.params.id),
  )
}
