// Alert rules: create, change, mute and try them.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { ruleNotFound } from '../../../alerts/rules/book.js'
import { seesOf } from '../../../auth/reach.js'
import { isFormer, marked } from '../../../auth/former.js'
import { configEtag, requireMatch } from '../../../requests/etag.js'
import { pageOf } from '../../../requests/page.js'
import { AlertEvent } from '../../../schemas/alerts/alerts.js'
import { AlertMute, AlertRule, AlertRulePage, AlertRuleSpec } from '../../../schemas/alerts/rules.js'
import { IfMatchHeaders, IfNoneMatchHeaders } from '../../../schemas/etags.js'
import { IdempotencyHeaders } from '../../../schemas/idempotency.js'
import { PageQuery } from '../../../schemas/pages.js'
import { Id } from '../../../schemas/words.js'

const tags = ['alerts']
const params = Type.Object({ id: Id('Id of the rule.', 'reads-within-1-ms') })

/** A mute is no change of the rule. */
function etagOf(rule: AlertRule): string {
  const { mutedUntil: _, ...rest } = rule
  return configEtag(rest)
}
/** Somebody may have moved it out of reach since the request was let in. */
const reaches =
  ({ reach, engine }: FastifyRequest) =>
  (rule: AlertRule): void => {
    reach?.need(rule.namespace)
    if (reach !== undefined && isFormer(engine, rule)) throw ruleNotFound(rule.id)
  }
const matches = (request: FastifyRequest) => {
  const check = reaches(request)
  return (rule: AlertRule): void => {
    check(rule)
    requireMatch(request.headers['if-match'], etagOf(rule))
  }
}

export function alertRuleRoutes(app: App): void {
  const { alerts } = app
  const { rules } = alerts
  const shown = ({ mutedUntil, ...rule }: AlertRule): AlertRule & { former?: true } => ({
    ...marked(app.engine, rule),
    ...(mutedUntil !== undefined && rules.muted({ ...rule, mutedUntil }) && { mutedUntil }),
  })

  app.get(
    '/alerts/rules',
    {
      schema: {
        operationId: 'listAlertRules',
        tags,
        summary: 'List alert rules',
        description: 'Answers the rules, oldest first. A new server has some.',
        querystring: PageQuery,
        response: { 200: AlertRulePage },
      },
    },
    ({ reach, query }) => pageOf(rules.list().map(shown).filter(seesOf(reach)), query, ({ id }) => id),
  )

  app.post(
    '/alerts/rules',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'createAlertRule',
        tags,
        summary: 'Create an alert rule',
        description:
          'Creates a rule on a metric, or a latency target. At most 100 can be kept; more are refused with ' +
          '`alert_rule_limit`.',
        headers: IdempotencyHeaders,
        body: AlertRuleSpec,
        response: { 201: AlertRule },
      },
    },
    async (request, reply) => {
      const rule = await rules.add(request.body, request.who)
      void reply.code(201).header('location', `/api/v1/alerts/rules/${rule.id}`).header('etag', etagOf(rule))
      return rule
    },
  )

  app.get(
    '/alerts/rules/:id',
    {
      schema: {
        operationId: 'getAlertRule',
        tags,
        summary: 'Show an alert rule',
        description: 'Answers a rule. Its `ETag` goes into `If-Match` when you replace or delete it.',
        params,
        headers: IfNoneMatchHeaders,
        response: { 200: AlertRule },
      },
    },
    (request, reply) => {
      const rule = rules.get(request.params.id)
      void reply.header('etag', etagOf(rule))
      return shown(rule)
    },
  )

  app.put(
    '/alerts/rules/:id',
    {
      schema: {
        operationId: 'replaceAlertRule',
        tags,
        summary: 'Replace an alert rule',
        description:
          'Replaces a rule. Its alerts go on if it watches the same data, and begin anew if not. With `If-Match` it is ' +
          'refused with `precondition_failed` if someone changed the rule.',
        params,
        headers: IfMatchHeaders,
        body: AlertRuleSpec,
        response: { 200: AlertRule },
      },
    },
    async (request, reply) => {
      const rule = await rules.replace(request.params.id, request.body, request.who, matches(request))
      void reply.header('etag', etagOf(rule))
      return shown(rule)
    },
  )

  app.delete(
    '/alerts/rules/:id',
    {
      schema: {
        operationId: 'removeAlertRule',
        tags,
        summary: 'Delete an alert rule',
        description:
          'Deletes a rule with its alerts, and answers it. With `If-Match` it is refused with `precondition_failed` if ' +
          'someone changed the rule.',
        params,
        headers: IfMatchHeaders,
        response: { 200: AlertRule },
      },
    },
    (request) => rules.remove(request.params.id, matches(request)).then(shown),
  )

  app.put(
    '/alerts/rules/:id/mute',
    {
      schema: {
        operationId: 'muteAlertRule',
        tags,
        summary: 'Mute an alert rule',
        description:
          'Sends no notices of this rule until a time. It is evaluated all the same. If an alert still fires after that ' +
          'time, its notice is sent then. The end of an alert whose notice was sent before is sent in any case.',
        params,
        body: AlertMute,
        response: { 200: AlertRule },
      },
    },
    (request) => rules.mute(request.params.id, request.body.until, reaches(request)).then(shown),
  )

  app.delete(
    '/alerts/rules/:id/mute',
    {
      schema: {
        operationId: 'unmuteAlertRule',
        tags,
        summary: 'Unmute an alert rule',
        description: 'Sends notices of this rule again. If it is not muted, it does nothing.',
        params,
        response: { 200: AlertRule },
      },
    },
    (request) => rules.mute(request.params.id, undefined, reaches(request)).then(shown),
  )

  app.post(
    '/alerts/rules/:id/test',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'testAlertRule',
        tags,
        summary: 'Try an alert rule',
        description:
          'Sends a notice of kind `test` to the webhook, if there is one, even if the rule is muted. No alert changes. ' +
          'It answers when the notice is on the disk. `GET /api/v1/alerts/events` says how it was delivered.',
        params,
        headers: IdempotencyHeaders,
        response: { 202: AlertEvent },
      },
    },
    async (request, reply) => {
      const event = await alerts.test(request.params.id, reaches(request))
      void reply.code(202)
      return event
    },
  )
}
