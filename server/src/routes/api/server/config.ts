// /api/v1/config: the settings of the server, changes of those that a reload takes, and their revisions.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { json } from '../../../bodies/rule.js'
import { type Plan, wantedOf } from '../../../config/running/plan.js'
import { type Asked, shownOf } from '../../../config/running/running.js'
import { hostBehind } from '../../../network/proxies.js'
import { by } from '../../../requests/author.js'
import { pageOf } from '../../../requests/page.js'
import { checkText } from '../../../requests/title.js'
import type { Revision } from '../../../revisions/history.js'
import { optionalBody } from '../../../schemas/bodies.js'
import { PlanOnly } from '../../../schemas/drop.js'
import { IfMatchHeaders, IfNoneMatchHeaders } from '../../../schemas/etags.js'
import { RestoreRevisionRequest, RevisionNumber } from '../../../schemas/namespaces/revisions.js'
import { PageQuery } from '../../../schemas/pages.js'
import {
  ReloadReport,
  ServerConfig,
  ServerConfigPatch,
  ServerRevisionPage,
  WholeServerRevision,
} from '../../../schemas/server/config.js'

const tags = ['configuration']
const params = Type.Object({ revision: RevisionNumber })
const querystring = Type.Object({ dryRun: PlanOnly }, { additionalProperties: false })

export function configRoutes(app: App): void {
  const { settings } = app

  app.get(
    '/config',
    {
      schema: {
        operationId: 'getServerConfig',
        tags,
        summary: 'Show the settings of the server',
        description:
          'Answers each setting with its value, its default, where it comes from, and whether a reload takes it. Values ' +
          'of secrets are hidden. `ETag` identifies the settings and the file, for a change.',
        headers: IfNoneMatchHeaders,
        response: { 200: ServerConfig },
      },
    },
    async (_request, reply) => answer(reply),
  )

  app.patch(
    '/config',
    {
      schema: {
        operationId: 'updateServerConfig',
        tags,
        summary: 'Change settings of the server',
        description:
          'Writes settings into the configuration file, and takes them over. Only settings that a reload takes can ' +
          'change; others are refused with `setting_fixed`, and those that a flag or a variable sets with ' +
          '`setting_overridden`. Send the `ETag` as `If-Match` to refuse the change if someone else changed them first. ' +
          'With `dryRun=true` nothing changes, and `changes` says what would.',
        querystring,
        headers: IfMatchHeaders,
        body: ServerConfigPatch,
        response: { 200: ServerConfig },
      },
    },
    async (request, reply) => {
      const { settings: sent, reason } = request.body
      if (reason !== undefined) checkText(reason, 'reason')
      const asked = askedOf(request, { cause: 'changed', reason, ...by(request) })
      return answer(reply, await settings.change(wantedOf(sent), asked), asked.dryRun)
    },
  )

  app.post(
    '/config/reload',
    {
      schema: {
        operationId: 'reloadServerConfig',
        tags,
        summary: 'Read the configuration file again',
        description:
          'Does what `SIGHUP` does: settings that a reload takes hold from now on, and certificates are read again. If ' +
          'anything in the file is wrong, nothing changes (`config_file_invalid`). A read-only server allows it.',
        response: { 200: ReloadReport },
      },
    },
    (request) => settings.reload({ cause: 'found', ...by(request) }),
  )

  app.get(
    '/config/revisions',
    {
      schema: {
        operationId: 'listServerRevisions',
        tags,
        summary: 'List revisions of the settings of the server',
        description:
          'Answers who changed which settings, when and why, newest first. The server keeps the newest 200. The first ' +
          'one has the settings as they are now.',
        querystring: PageQuery,
        response: { 200: ServerRevisionPage },
      },
    },
    async ({ query }, reply) => {
      const all = (await settings.revisions()).map(withoutSettings)
      return reply.send(pageOf(all, query, ({ number }) => String(number)))
    },
  )

  app.get(
    '/config/revisions/:revision',
    {
      schema: {
        operationId: 'getServerRevision',
        tags,
        summary: 'Show a revision of the settings of the server',
        description: 'Answers all settings of a revision, and what differs from the one before.',
        params,
        response: { 200: WholeServerRevision },
      },
    },
    async ({ params: { revision } }) => {
      const found = await settings.revision(revision)
      return { ...withoutSettings(found), settings: found.config as Record<string, string> }
    },
  )

  app.post(
    '/config/revisions/:revision/restore',
    {
      config: { body: json({ required: false }) },
      schema: {
        operationId: 'restoreServerRevision',
        tags,
        summary: 'Roll back to a revision of the settings of the server',
        description:
          'Gives the settings that a reload takes the values of the revision, and makes a new revision. The others stay ' +
          'as they are, and `changes` names them. Send the `ETag` as `If-Match` to refuse it if someone else changed the ' +
          'settings first. With `dryRun=true` it only answers what would change.',
        params,
        querystring,
        headers: IfMatchHeaders,
        body: optionalBody(RestoreRevisionRequest),
        response: { 200: ServerConfig },
      },
    },
    async (request, reply) => {
      const reason = request.body?.reason
      if (reason !== undefined) checkText(reason, 'reason')
      const asked = askedOf(request, { cause: 'restored', reason, ...by(request) })
      return answer(reply, await settings.restore(request.params.revision, asked), asked.dryRun)
    },
  )

  /** The settings as they are, or as a plan would make them. The ETag is that of the settings now. */
  async function answer(reply: FastifyReply, plan?: Plan, dry = false): Promise<ServerConfig> {
    const { config, etag } = await settings.show()
    reply.header('etag', etag)
    if (plan === undefined) return config
    const { after, changes } = plan
    return { ...config, ...(dry && { settings: after.map(shownOf) }), changes }
  }
}

function askedOf(request: FastifyRequest, noted: Asked['noted']): Asked {
  const { query, headers } = request as FastifyRequest<{ Querystring: { dryRun?: boolean } }>
  return {
    dryRun: query.dryRun === true,
    ifMatch: headers['if-match'],
    hostBehind: (proxies) => hostBehind(request, proxies),
    noted,
  }
}

function withoutSettings(revision: Revision): Omit<Revision, 'config'> {
  const { config: _, ...facts } = revision
  return facts
}
