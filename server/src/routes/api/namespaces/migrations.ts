// Migrations of namespaces: begin, show, resume, cut over, roll back, finish, abandon.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { accepted } from '../../../answers/accepted.js'
import { json } from '../../../bodies/rule.js'
import { by } from '../../../requests/author.js'
import { confirm, confirmAlways } from '../../../requests/confirm.js'
import { optionalBody } from '../../../schemas/bodies.js'
import { ConfirmAlwaysHeaders, ConfirmHeaders } from '../../../schemas/drop.js'
import { IdempotencyHeaders } from '../../../schemas/idempotency.js'
import { Job } from '../../../schemas/jobs/jobs.js'
import { Migration, MigrationPace, MigrationRequest } from '../../../schemas/namespaces/migrations.js'
import { Namespace } from '../../../schemas/namespaces/namespaces.js'
import { Wait } from '../../../schemas/quantities.js'
import { NamespaceName } from '../../../schemas/words.js'

const tags = ['namespaces']
const params = Type.Object({ ns: NamespaceName })
const querystring = Type.Object({ wait: Wait }, { additionalProperties: false })

export function migrationRoutes(app: App): void {
  app.post(
    '/namespaces/:ns/migrate',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'migrateNamespace',
        tags,
        summary: 'Migrate a namespace',
        description:
          'Gives a namespace a second store with another engine, page size, container or number of segments, and ' +
          'fills it as a job, while the namespace is read and written. From now on each change goes to both stores, ' +
          'so a write costs as much as two. Nothing else changes before `cutOverMigration`.',
        params,
        querystring,
        headers: IdempotencyHeaders,
        body: MigrationRequest,
        response: { 202: Job },
      },
    },
    async (request, reply) => {
      const job = await request.engine.migrate(request.params.ns, request.body)
      return accepted(request.engine, reply, job, request.query.wait)
    },
  )

  app.get(
    '/namespaces/:ns/migration',
    {
      schema: {
        operationId: 'getMigration',
        tags,
        summary: 'Show a migration',
        description:
          'Answers how far the migration of a namespace is. If the namespace does not migrate: `migration_not_found`.',
        params,
        response: { 200: Migration },
      },
    },
    (request) => request.engine.migration(request.params.ns),
  )

  app.post(
    '/namespaces/:ns/migration/resume',
    {
      config: { body: json({ required: false }) },
      schema: {
        operationId: 'resumeMigration',
        tags,
        summary: 'Resume a migration',
        description:
          'Starts the job again after it failed or was aborted. It begins at the first record; what is the same ' +
          'already is compared and not written again.',
        params,
        querystring,
        body: optionalBody(MigrationPace),
        response: { 202: Job },
      },
    },
    async (request, reply) => {
      const job = await request.engine.resumeMigration(request.params.ns, request.body ?? {})
      return accepted(request.engine, reply, job, request.query.wait)
    },
  )

  app.post(
    '/namespaces/:ns/migration/cut-over',
    {
      schema: {
        operationId: 'cutOverMigration',
        tags,
        summary: 'Cut over to the target',
        description:
          'Lets the target serve reads and decide writes. The source follows it, so `rollBackMigration` can undo ' +
          'this. It needs the phase `doubled`, and all indexes of a target on a cluster. Writers wait for a sync of the target meanwhile.',
        params,
        response: { 200: Migration },
      },
    },
    (request) => noted(request, request.params.ns, ({ engine }, ns) => engine.swapStores(ns, true)),
  )

  app.post(
    '/namespaces/:ns/migration/roll-back',
    {
      schema: {
        operationId: 'rollBackMigration',
        tags,
        summary: 'Roll back to the source',
        description:
          'Lets the source serve reads and decide writes again, after a cut-over. It has every change that was made ' +
          'since. It needs the phase `doubled`.',
        params,
        response: { 200: Migration },
      },
    },
    (request) => noted(request, request.params.ns, ({ engine }, ns) => engine.swapStores(ns, false)),
  )

  app.post(
    '/namespaces/:ns/migration/finish',
    {
      schema: {
        operationId: 'finishMigration',
        tags,
        summary: 'Finish a migration',
        description:
          'Removes the source with its files, after a cut-over. The namespace cannot be rolled back any more. A source ' +
          'on a cluster stays there, as after a drop. In production it needs `X-Confirm`.',
        params,
        headers: ConfirmHeaders,
        response: { 200: Namespace },
      },
    },
    (request) => {
      const { ns } = request.params
      confirm(app.config, request.headers['x-confirm'], ns)
      return noted(request, ns, ({ engine }) => engine.endMigration(ns, true))
    },
  )

  app.post(
    '/namespaces/:ns/migration/abandon',
    {
      schema: {
        operationId: 'abandonMigration',
        tags,
        summary: 'Abandon a migration',
        description:
          'Aborts the job and removes the target with its files, or its keyspace on a cluster, before a cut-over or ' +
          'after a roll-back. The namespace goes on as if there had been no migration. If the namespace could not be opened, the target may ' +
          'be the only copy of its records: then `X-Confirm` is needed.',
        params,
        headers: ConfirmAlwaysHeaders,
        response: { 200: Namespace },
      },
    },
    (request) => noted(request, request.params.ns, abandon),
  )
}

async function abandon({ engine, headers }: FastifyRequest, ns: string): Promise<Namespace> {
  const { state } = await engine.namespace(ns)
  if (state === 'failed') confirmAlways(headers['x-confirm']?.toString(), ns)
  return engine.endMigration(ns, false)
}

/** A step of a migration changes settings. That is a revision with the caller as its author. */
function noted<T>(request: FastifyRequest, ns: string, step: (request: FastifyRequest, ns: string) => Promise<T>) {
  const { engine, server } = request
  return server.revisions.inTurn(ns, async () => {
    const before = await engine.namespace(ns)
    await server.revisions.observe(before)
    const answer = await step(request, ns)
    const after = await engine.namespace(ns)
    await server.revisions.note(after, { cause: 'migrated', ...by(request) })
    return answer
  })
}
