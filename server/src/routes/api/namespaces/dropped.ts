// Dropped namespaces that can be restored: list, show, restore, delete for good.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { json } from '../../../bodies/rule.js'
import { by } from '../../../requests/author.js'
import { confirmAlways } from '../../../requests/confirm.js'
import { pageOf } from '../../../requests/page.js'
import { optionalBody } from '../../../schemas/bodies.js'
import { ConfirmAlwaysHeaders, DropReport, DryRun } from '../../../schemas/drop.js'
import { IdempotencyHeaders } from '../../../schemas/idempotency.js'
import { Dropped, DroppedId, DroppedPage, RestoreDroppedRequest } from '../../../schemas/namespaces/dropped.js'
import { Namespace } from '../../../schemas/namespaces/namespaces.js'
import { PageQuery } from '../../../schemas/pages.js'

const tags = ['namespaces']
const params = Type.Object({ id: DroppedId })

export function droppedRoutes(app: App): void {
  app.get(
    '/dropped',
    {
      schema: {
        operationId: 'listDropped',
        tags,
        summary: 'List dropped namespaces',
        description:
          'Answers the dropped namespaces that can be restored, with the time that is left to each. After ' +
          '`TESSERA_UNDO` (10 minutes by default) the server removes them for good.',
        querystring: PageQuery,
        response: { 200: DroppedPage },
      },
    },
    async (request, reply) =>
      reply.send(pageOf(await request.engine.dropped(), request.query, ({ id }) => id.padStart(20, '0'))),
  )

  app.get(
    '/dropped/:id',
    {
      schema: {
        operationId: 'getDropped',
        tags,
        summary: 'Show a dropped namespace',
        description: 'Answers what a restore would bring back, and until when.',
        params,
        response: { 200: Dropped },
      },
    },
    (request) => request.engine.droppedOne(request.params.id),
  )

  app.post(
    '/dropped/:id/restore',
    {
      config: { idempotent: true, body: json({ required: false }) },
      schema: {
        operationId: 'restoreDropped',
        tags,
        summary: 'Restore a dropped namespace',
        description:
          'Takes a drop back: the namespace is listed again with its records, sets and indexes. If its name is ' +
          'taken, give another; a namespace whose records are in memory keeps its own. If it cannot be opened, its ' +
          'state is `failed`.',
        params,
        headers: IdempotencyHeaders,
        body: optionalBody(RestoreDroppedRequest),
        response: { 200: Namespace },
      },
    },
    (request) => restore(request, request.params.id, request.body?.name),
  )

  app.delete(
    '/dropped/:id',
    {
      schema: {
        operationId: 'removeDropped',
        tags,
        summary: 'Delete a dropped namespace for good',
        description:
          'Frees its memory and its disks before its time is up. It cannot be undone and needs its name in ' +
          '`X-Confirm` on every server. With `dryRun=true` it only answers what would go.',
        params,
        querystring: Type.Object({ dryRun: DryRun }, { additionalProperties: false }),
        headers: ConfirmAlwaysHeaders,
        response: { 200: DropReport },
      },
    },
    (request) => {
      const { id } = request.params
      if (request.query.dryRun === true) return request.engine.removeDropped(id, true)
      return remove(request, id, request.headers['x-confirm'])
    },
  )
}

async function remove(
  { engine, server }: FastifyRequest,
  id: string,
  confirmation: string | undefined,
): Promise<DropReport> {
  confirmAlways(confirmation, (await engine.droppedOne(id)).name)
  const report = await engine.removeDropped(id, false)
  await server.revisions.sweep(server.engine)
  return report
}

/** With its revisions, also under another name. */
async function restore(request: FastifyRequest, id: string, name: string | undefined): Promise<Namespace> {
  const { engine, server } = request
  const { name: before } = await engine.droppedOne(id)
  return server.revisions.inTurn(name ?? before, async () => {
    const namespace = await engine.restoreDropped(id, name)
    await server.revisions.note(namespace, { cause: 'changed', ...by(request) })
    return namespace
  })
}
