// Folders that no namespace has: list, adopt, remove.
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import { confirmAlways } from '../../rest/confirm.js'
import { pageOf } from '../../rest/page.js'
import { ConfirmAlwaysHeaders, DropReport, DryRun } from '../../schemas/drop.js'
import { Namespace } from '../../schemas/namespaces.js'
import { AdoptRequest, OrphanId, OrphanPage } from '../../schemas/orphans.js'
import { PageQuery } from '../../schemas/pages.js'

const tags = ['namespaces']
const params = Type.Object({ id: OrphanId })

export function orphanRoutes(app: App): void {
  app.get(
    '/orphans',
    {
      schema: {
        operationId: 'listOrphans',
        tags,
        summary: 'List the folders that no namespace has',
        description:
          'After an older copy of the manifest was restored, they hold the namespaces that it does not know.',
        querystring: PageQuery,
        response: { 200: OrphanPage },
      },
    },
    async (request, reply) => reply.send(pageOf(await request.engine.orphans(), request.query, ({ id }) => id)),
  )

  app.post(
    '/orphans/:id/adopt',
    {
      config: { bodyOptional: true },
      schema: {
        operationId: 'adoptOrphan',
        tags,
        summary: 'List the namespace in a folder, under its own name or another, and open it',
        description: 'The answer is the namespace as it then stands: if it cannot be opened, its state is failed.',
        params,
        body: Type.Union([AdoptRequest, Type.Null()]),
        response: { 200: Namespace },
      },
    },
    (request) => request.engine.adoptOrphan(request.params.id, request.body?.name),
  )

  app.delete(
    '/orphans/:id',
    {
      schema: {
        operationId: 'removeOrphan',
        tags,
        summary: 'Remove such a folder with all that is in it, or say what would go',
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
