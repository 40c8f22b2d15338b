// The lab: experiments with their published figures, and runs on this machine.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { experiments } from '../../../lab/experiments.js'
import { LabRuns } from '../../../lab/runs.js'
import { pageOf } from '../../../requests/page.js'
import { IdempotencyHeaders } from '../../../schemas/idempotency.js'
import { Lab, LabRequest, LabRun, LabRunPage } from '../../../schemas/jobs/lab.js'
import { PageQuery } from '../../../schemas/pages.js'
import { Id } from '../../../schemas/words.js'

const tags = ['lab']
const params = Type.Object({ id: Id('Id of the run.', '0mwuurgcxcbe8f5') })

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
        summary: 'List experiments',
        description: 'Answers the experiments of the lab, with the published figures of each.',
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
        summary: 'Run an experiment',
        description:
          'Repeats a published measurement on this machine. It creates its own namespaces, drives load through ' +
          'this API and drops them again. Only one experiment runs at a time; another is refused with ' +
          '`lab_busy`.',
        headers: IdempotencyHeaders,
        body: LabRequest,
        response: { 202: LabRun },
      },
    },
    async (request, reply) => {
      const run = await runs.start(request.body)
      request.jobId = run.id
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
        summary: 'List runs of experiments',
        description: 'Answers runs, newest first. The server keeps the last 50.',
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
        summary: 'Show a run of an experiment',
        description: 'Answers the progress of a run and, when it has ended, its report.',
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
        summary: 'Abort or forget a run of an experiment',
        description: 'Aborts a run that still runs, or deletes the record of one that ended. It answers the run.',
        params,
        response: { 200: LabRun },
      },
    },
    (request) => runs.remove(request.params.id),
  )
}
