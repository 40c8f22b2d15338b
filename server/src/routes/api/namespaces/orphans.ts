// Orphaned folders: list, adopt, delete.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { json } from '../../../bodies/rule.js'
import { by } from '../../../requests/author.js'
import { confirmAlways } from '../../../requests/confirm.js'
import { pageOf } from '../../../requests/page.js'
import { optionalBody } from '../../../schemas/bodies.js'
import { ConfirmAlwaysHeaders, DropReport, DryRun } from '../../../schemas/drop.js'
import { Namespace } from '../../../schemas/namespaces/namespaces.js'
import { AdoptRequest, OrphanId, OrphanPage } from '../../../schemas/namespaces/orphans.js'
import { PageQuery } from '../../../schemas/pages.js'

const tags = ['namespaces']
const params = Type.Object({ id: OrphanId })

export function orphanRoutes(app: App): void {
  app.get(
    '/orphans',
    {
      schema: {
        operationId: 'listOrphans',
        tags,
        summary: 'List orphaned folders',
        description:
          'Answers the folders that the manifest does not list. They appear, for example, after an older copy ' +
          'of the manifest was restored.',
        querystring: PageQuery,
        response: { 200: OrphanPage },
      },
    },
    async (request, reply) => reply.send(pageOf(await request.engine.orphans(), request.query, ({ id }) => id)),
  )

  app.post(
    '/orphans/:id/adopt',
    {
      config: { body: json({ required: false }) },
      schema: {
        operationId: 'adoptOrphan',
        tags,
        summary: 'Adopt an orphaned folder',
        description:
          'Lists the namespace in a folder again, under its own name or another, and opens it. If it cannot be ' +
          'opened, its state is `failed`.',
        params,
        body: optionalBody(AdoptRequest),
        response: { 200: Namespace },
      },
    },
    (request) => adopt(request, request.params.id, request.body?.name),
  )

  app.delete(
    '/orphans/:id',
    {
      schema: {
        operationId: 'removeOrphan',
        tags,
        summary: 'Delete an orphaned folder',
        description:
          'Deletes the folder with everything in it. It cannot be undone and needs `X-Confirm` on every server. ' +
          'With `dryRun=true` it only answers what would go.',
        params,
        querystring: Type.Object({ dryRun: DryRun }, { additionalProperties: false }),
        headers: ConfirmAlwaysHeaders,
        response: { 200: DropReport },
      },
    },
    (request) => {
      const { id } = request.params
      const dryRun = request.query.dryRun ?? false
      if (!dryRun) confirmAlways(request.headers['x-confirm'], id)
      return request.engine.removeOrphan(id, dryRun)
    },
  )
}

/** Its revisions are there again, if nobody removed them. */
async function adopt(request: FastifyRequest, id: string, name: string | undefined): Promise<Namespace> {
  const { engine, server } = request
  const namespace = await engine.adoptOrphan(id, name)
  await server.revisions.inTurn(namespace.name, async () => {
    await server.revisions.note(namespace, { cause: 'found', ...by(request) })
  })
  return namespace
}
