// Revisions of the configuration of a namespace: list, show, roll back.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { json } from '../../../bodies/rule.js'
import { by } from '../../../requests/author.js'
import { configEtag, requireMatch } from '../../../requests/etag.js'
import { pageOf } from '../../../requests/page.js'
import { checkText } from '../../../requests/title.js'
import { answerOfPlan, carryOut } from '../../../revisions/carry-out.js'
import type { Revision } from '../../../revisions/history.js'
import { planRestore } from '../../../revisions/plan.js'
import { optionalBody } from '../../../schemas/bodies.js'
import { PlanOnly } from '../../../schemas/drop.js'
import { IfMatchHeaders } from '../../../schemas/etags.js'
import { IdempotencyHeaders } from '../../../schemas/idempotency.js'
import { Namespace, type NamespaceConfig } from '../../../schemas/namespaces/namespaces.js'
import {
  type ConfigRevision,
  ConfigRevisionPage,
  RestoreRevisionRequest,
  RevisionNumber,
  WholeConfigRevision,
} from '../../../schemas/namespaces/revisions.js'
import { PageQuery } from '../../../schemas/pages.js'
import { NamespaceName } from '../../../schemas/words.js'

const tags = ['namespaces']
const params = Type.Object({ ns: NamespaceName })
const oneParams = Type.Object({ ns: NamespaceName, revision: RevisionNumber })

export function revisionRoutes(app: App): void {
  const { revisions } = app

  app.get(
    '/namespaces/:ns/config/revisions',
    {
      schema: {
        operationId: 'listConfigRevisions',
        tags,
        summary: 'List revisions of the configuration',
        description:
          'Answers who changed which settings of a namespace, when and why, newest first. The server keeps the newest ' +
          '200. The first one is the configuration as it is now.',
        params,
        querystring: PageQuery,
        response: { 200: ConfigRevisionPage },
      },
    },
    async (request, reply) => {
      const { ns } = request.params
      const all = await revisions.inTurn(ns, async () => revisions.list(await request.engine.namespace(ns)))
      return reply.send(pageOf(all.map(withoutConfig), request.query, ({ number }) => String(number)))
    },
  )

  app.get(
    '/namespaces/:ns/config/revisions/:revision',
    {
      schema: {
        operationId: 'getConfigRevision',
        tags,
        summary: 'Show a revision of the configuration',
        description: 'Answers all settings of a revision, and what differs from the one before.',
        params: oneParams,
        response: { 200: WholeConfigRevision },
      },
    },
    (request) => {
      const { ns, revision } = request.params
      return revisions.inTurn(ns, async () => {
        const found = await revisions.get(await request.engine.namespace(ns), revision)
        return { ...withoutConfig(found), config: configOf(found) }
      })
    },
  )

  app.post(
    '/namespaces/:ns/config/revisions/:revision/restore',
    {
      config: { idempotent: true, body: json({ required: false }) },
      schema: {
        operationId: 'restoreConfigRevision',
        tags,
        summary: 'Roll back to a revision of the configuration',
        description:
          'Gives the settings that can change the values of the revision, and makes a new revision. Settings that only a ' +
          'migration or a new namespace can have stay as they are, and `changes` names them. Send the `ETag` of the ' +
          'namespace as `If-Match` to refuse it if someone else changed the settings first. With `dryRun=true` it ' +
          'only answers what would change.',
        params: oneParams,
        querystring: Type.Object({ dryRun: PlanOnly }, { additionalProperties: false }),
        headers: Type.Object({ ...IfMatchHeaders.properties, ...IdempotencyHeaders.properties }),
        body: optionalBody(RestoreRevisionRequest),
        response: { 200: Namespace },
      },
    },
    async (request, reply) => {
      const { engine, query, body, headers } = request
      const { ns, revision } = request.params
      const reason = body?.reason
      if (reason !== undefined) checkText(reason, 'reason')
      return revisions.inTurn(ns, async () => {
        const before = await engine.namespace(ns)
        requireMatch(headers['if-match'], configEtag(before.config))
        const plan = planRestore(before, configOf(await revisions.get(before, revision)))
        if (query.dryRun === true) return answerOfPlan(reply, before, plan)
        const noted = { cause: 'restored' as const, reason, restored: revision, ...by(request) }
        return carryOut(request, reply, { before, plan, noted })
      })
    },
  )
}

function withoutConfig(revision: Revision): ConfigRevision {
  const { config: _, ...facts } = revision
  return facts
}

/** It was a configuration when it was kept. */
const configOf = ({ config }: Revision): NamespaceConfig => config as NamespaceConfig
