// Namespaces: list, create, show, change, drop.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { json } from '../../../bodies/rule.js'
import { confirm, confirmAlways } from '../../../requests/confirm.js'
import { configEtag, requireMatch } from '../../../requests/etag.js'
import { pageOf } from '../../../requests/page.js'
import { answerOfPlan, carryOut } from '../../../revisions/carry-out.js'
import { planPatch, requireLive } from '../../../revisions/plan.js'
import { optionalBody } from '../../../schemas/bodies.js'
import { IfMatchHeaders, IfNoneMatchHeaders } from '../../../schemas/etags.js'
import { by } from '../../../requests/author.js'
import { checkText } from '../../../requests/title.js'
import { ConfirmAlwaysHeaders, ConfirmHeaders, DropReport, DryRun, ForGood, PlanOnly } from '../../../schemas/drop.js'
import { IdempotencyHeaders } from '../../../schemas/idempotency.js'
import { PageQuery } from '../../../schemas/pages.js'
import { ReopenRequest } from '../../../schemas/namespaces/recovery.js'
import { NamespaceName, SetChoice } from '../../../schemas/words.js'
import {
  Namespace,
  NamespaceConfig,
  NamespacePage,
  NamespacePatch,
  type PartialNamespace,
  SegmentPage,
  Size,
} from '../../../schemas/namespaces/namespaces.js'

const tags = ['namespaces']
const params = Type.Object({ ns: NamespaceName })

export function namespaceRoutes(app: App): void {
  app.get(
    '/namespaces',
    {
      schema: {
        operationId: 'listNamespaces',
        tags,
        summary: 'List namespaces',
        description:
          'Answers all namespaces with their settings and figures, those that could not be opened included. ' +
          '`partial` has the names of those of which you may see some sets only.',
        querystring: PageQuery,
        response: { 200: NamespacePage },
      },
    },
    async (request, reply) => {
      const page = pageOf(await request.engine.namespaces(), request.query, (namespace) => namespace.name)
      const partial = request.query.cursor === undefined ? await partialNamespaces(request) : []
      return reply.send({ ...page, ...(partial.length > 0 && { partial }) })
    },
  )

  app.post(
    '/namespaces',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'createNamespace',
        tags,
        summary: 'Create a namespace',
        description:
          'Creates an empty namespace. Only a migration changes its engine and layout; other settings can ' +
          'change at any time. An existing name is refused with `namespace_exists`.',
        headers: IdempotencyHeaders,
        body: NamespaceConfig,
        response: { 201: Namespace },
      },
    },
    async (request, reply) => {
      const { engine, body } = request
      const namespace = await app.revisions.inTurn(body.name, async () => {
        const made = await engine.createNamespace(body)
        await app.revisions.note(made, { cause: 'created', ...by(request) })
        return made
      })
      return reply
        .code(201)
        .header('location', `/api/v1/namespaces/${namespace.name}`)
        .header('etag', configEtag(namespace.config))
        .send(namespace)
    },
  )

  app.get(
    '/namespaces/:ns',
    {
      schema: {
        operationId: 'getNamespace',
        tags,
        summary: 'Show a namespace',
        description:
          'Answers a namespace with its settings, memory and capabilities. `ETag` identifies the settings, so 304 ' +
          'says that these are unchanged, and nothing about the figures. `mutable` lists the settings that can ' +
          'change while records are served.',
        params,
        headers: IfNoneMatchHeaders,
        response: { 200: Namespace },
      },
    },
    async (request, reply) => {
      const namespace = await request.engine.namespace(request.params.ns)
      reply.header('etag', configEtag(namespace.config))
      return namespace
    },
  )

  app.patch(
    '/namespaces/:ns',
    {
      schema: {
        operationId: 'updateNamespace',
        tags,
        summary: 'Change the settings of a namespace',
        description:
          'Changes settings while records are served. Send the `ETag` as `If-Match` to refuse the change if ' +
          'someone else changed them first. Each change makes a revision, with its `reason`. With `dryRun=true` ' +
          'nothing changes: `config` has the settings as they would be, and `changes` says what each one does.',
        params,
        querystring: Type.Object({ dryRun: PlanOnly }, { additionalProperties: false }),
        headers: IfMatchHeaders,
        body: NamespacePatch,
        response: { 200: Namespace },
      },
    },
    async (request, reply) => {
      const { engine, params, query, body, headers } = request
      if (body.reason !== undefined) checkText(body.reason, 'reason')
      return app.revisions.inTurn(params.ns, async () => {
        const before = await engine.namespace(params.ns)
        requireMatch(headers['if-match'], configEtag(before.config))
        const plan = planPatch(before, body)
        if (query.dryRun === true) return answerOfPlan(reply, before, plan)
        requireLive(plan)
        return carryOut(request, reply, {
          before,
          plan,
          noted: { cause: 'changed', reason: body.reason, ...by(request) },
        })
      })
    },
  )

  app.post(
    '/namespaces/:ns/reopen',
    {
      config: { body: json({ required: false }) },
      schema: {
        operationId: 'reopenNamespace',
        tags,
        summary: 'Open a failed namespace again',
        description:
          'Opens a namespace that failed, after its cause was repaired. With `acceptLoss` it opens with what is ' +
          'left, and the name in `X-Confirm` is required on every server.',
        params,
        headers: ConfirmAlwaysHeaders,
        body: optionalBody(ReopenRequest),
        response: { 200: Namespace },
      },
    },
    (request) => {
      const { ns } = request.params
      const acceptLoss = request.body?.acceptLoss ?? false
      if (!acceptLoss) return request.engine.reopenNamespace(ns, false)
      confirmAlways(request.headers['x-confirm'], ns)
      return openWithLoss(request, ns)
    },
  )

  app.delete(
    '/namespaces/:ns',
    {
      schema: {
        operationId: 'dropNamespace',
        tags,
        summary: 'Drop a namespace',
        description:
          'Drops a namespace with all its records and indexes. Its name is free at once. Until `restorable.until` ' +
          'it can be restored, and holds its memory and its disks. With `forGood=true` it goes at once, and cannot ' +
          'be restored. With `dryRun=true` it only answers what would go. In production it needs `X-Confirm`. With `If-Match` it is refused with ' +
          '`precondition_failed` if someone changed the settings.',
        params,
        querystring: Type.Object({ dryRun: DryRun, forGood: ForGood }, { additionalProperties: false }),
        headers: Type.Object({ ...ConfirmHeaders.properties, ...IfMatchHeaders.properties }),
        response: { 200: DropReport },
      },
    },
    (request) => {
      const { ns } = request.params
      return app.revisions.inTurn(ns, async () => {
        await requireCurrent(request, ns)
        if (request.query.dryRun === true) return request.engine.dropNamespace(ns, { dryRun: true })
        confirm(app.config, request.headers['x-confirm'], ns)
        return drop(request, ns, request.query.forGood ?? false)
      })
    },
  )

  app.get(
    '/namespaces/:ns/segments',
    {
      schema: {
        operationId: 'listSegments',
        tags,
        summary: 'List segments',
        description: 'Answers owners, records, size and load by segment. A page holds all segments by default.',
        params,
        querystring: PageQuery,
        response: { 200: SegmentPage },
      },
    },
    async (request, reply) => {
      const segments = await request.engine.segments(request.params.ns)
      const page = { limit: 4096, ...request.query }
      return reply.send(pageOf(segments, page, ({ segment }) => String(segment).padStart(4, '0')))
    },
  )

  app.get(
    '/namespaces/:ns/size',
    {
      schema: {
        operationId: 'getSize',
        tags,
        summary: 'Count records',
        description:
          'Answers the number of records in the segments this node is the primary owner of, or in all without ' +
          '`ownership`. It costs no scan.',
        params,
        querystring: Type.Object({ set: Type.Optional(SetChoice) }, { additionalProperties: false }),
        response: { 200: Size },
      },
    },
    async (request, reply) => {
      const { ns } = request.params
      const { set } = request.query
      const records = await request.engine.size(ns, set)
      return reply.send({ namespace: ns, ...(set !== undefined && { set }), records })
    },
  )
}

/** @throws `if_match_invalid`, `precondition_failed` */
async function requireCurrent({ engine, headers }: FastifyRequest, ns: string): Promise<void> {
  const wanted = headers['if-match']
  if (wanted !== undefined) requireMatch(wanted, configEtag((await engine.namespace(ns)).config))
}

async function drop({ engine, server }: FastifyRequest, ns: string, forGood: boolean): Promise<DropReport> {
  const report = await engine.dropNamespace(ns, { forGood })
  server.alerts.dropNamespace(ns)
  await server.slow.forget(ns)
  server.scannedShapes.forget(ns)
  await server.backupSchedules.forget(ns)
  await server.revisions.sweep(server.engine)
  return report
}

/** Also writes the accepted losses to the log. */
async function openWithLoss(request: FastifyRequest, name: string): Promise<Namespace> {
  const begun = Date.now()
  const namespace = await request.engine.reopenNamespace(name, true)
  for (const { at, code, message } of namespace.losses) {
    if (Date.parse(at) >= begun) request.log.warn({ namespace: name, code }, `accepted as lost: ${message}`)
  }
  return namespace
}

/** Of one that is not open, the name alone. */
async function partialNamespaces({ engine, reach, server }: FastifyRequest): Promise<PartialNamespace[]> {
  if (reach === undefined) return []
  const names = server.engine.namespaceNames().filter((name) => reach.onlySetsOf(name))
  return Promise.all(
    names.map(async (name) => {
      const sets = await Promise.resolve(engine.sets(name)).catch(() => [])
      return { name, sets: sets.map((set) => set.name) }
    }),
  )
}
