// Truncations that can be undone: list, undo, make final.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { accepted } from '../../../answers/accepted.js'
import type { Engine } from '../../../engines/engine.js'
import { GatewayError } from '../../../errors.js'
import { confirmAlways } from '../../../requests/confirm.js'
import { pageOf } from '../../../requests/page.js'
import { ConfirmAlwaysHeaders } from '../../../schemas/drop.js'
import { IdempotencyHeaders } from '../../../schemas/idempotency.js'
import { Job } from '../../../schemas/jobs/jobs.js'
import { type Truncation, TruncationId, TruncationPage } from '../../../schemas/namespaces/truncations.js'
import { PageQuery } from '../../../schemas/pages.js'
import { Wait } from '../../../schemas/quantities.js'
import { NamespaceName } from '../../../schemas/words.js'
import { say } from '../../../sentences/sentence.js'

const tags = ['sets']
const nsParams = Type.Object({ ns: NamespaceName })
const params = Type.Object({ ns: NamespaceName, id: TruncationId })
const querystring = Type.Object({ wait: Wait }, { additionalProperties: false })

export function truncationRoutes(app: App): void {
  app.get(
    '/namespaces/:ns/truncations',
    {
      schema: {
        operationId: 'listTruncations',
        tags,
        summary: 'List truncations that can be undone',
        description:
          'Answers the truncations of a namespace whose records are hidden and not removed yet, oldest first. After ' +
          '`TESSERA_UNDO` (10 minutes by default) they are final.',
        params: nsParams,
        querystring: PageQuery,
        response: { 200: TruncationPage },
      },
    },
    async (request, reply) =>
      reply.send(pageOf(await request.engine.truncations(request.params.ns), request.query, ({ id }) => id)),
  )

  app.post(
    '/namespaces/:ns/truncations/:id/undo',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'undoTruncation',
        tags,
        summary: 'Undo a truncation',
        description:
          'Brings the hidden records back. They are there when this answers; the job counts them. Records that were ' +
          'written, deleted or expired since stay as they are.',
        params,
        querystring,
        headers: IdempotencyHeaders,
        response: { 202: Job },
      },
    },
    async (request, reply) => {
      const { ns, id } = request.params
      return accepted(request.engine, reply, await request.engine.undoTruncation(ns, id), request.query.wait)
    },
  )

  app.delete(
    '/namespaces/:ns/truncations/:id',
    {
      schema: {
        operationId: 'settleTruncation',
        tags,
        summary: 'Make a truncation final',
        description:
          'Removes the hidden records before the time is up, as a job, to free their space. It cannot be undone and ' +
          'needs the name of the set, or of the namespace, in `X-Confirm` on every server.',
        params,
        querystring,
        headers: ConfirmAlwaysHeaders,
        response: { 202: Job },
      },
    },
    async (request, reply) => {
      const { ns, id } = request.params
      confirmAlways(request.headers['x-confirm'], (await truncationOf(request.engine, ns, id)).set ?? ns)
      return accepted(request.engine, reply, await request.engine.settleTruncation(ns, id), request.query.wait)
    },
  )
}

async function truncationOf(engine: Engine, ns: string, id: string): Promise<Truncation> {
  const found = (await engine.truncations(ns)).find((truncation) => truncation.id === id)
  if (found === undefined)
    throw new GatewayError(
      'truncation_not_found',
      say('no truncation {id} can be undone: its time is up, or another one was for good', { id: id.slice(0, 32) }),
    )
  return found
}
