// The webhook that gets the notices of alerts.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import type { KeptWebhook } from '../../../alerts/rules/book.js'
import { checkUrl } from '../../../alerts/webhook/address.js'
import { GatewayError } from '../../../errors.js'
import { configEtag, requireMatch } from '../../../requests/etag.js'
import { AlertWebhook, AlertWebhookSet, AlertWebhookSpec } from '../../../schemas/alerts/webhook.js'
import { IfMatchHeaders, IfNoneMatchHeaders, onlyCreate } from '../../../schemas/etags.js'
import { say } from '../../../sentences/sentence.js'

const tags = ['alerts']

function open(webhook: KeptWebhook): Omit<KeptWebhook, 'secret'> {
  const { secret: _, ...rest } = webhook
  return rest
}
const etagOf = (webhook: KeptWebhook): string => configEtag(open(webhook))
const matches =
  ({ headers: { 'if-match': wanted } }: FastifyRequest) =>
  (webhook: KeptWebhook | undefined): void =>
    requireMatch(wanted, webhook && etagOf(webhook))

const requireNone = (webhook: KeptWebhook | undefined): void => {
  if (webhook !== undefined)
    throw new GatewayError('precondition_failed', say('there is a webhook already'), { field: 'if-none-match' })
}

export function alertWebhookRoutes(app: App): void {
  const { alerts } = app
  const { rules } = alerts

  app.get(
    '/alerts/webhook',
    {
      schema: {
        operationId: 'getAlertWebhook',
        tags,
        summary: 'Show the webhook of alerts',
        description: 'Answers where notices go, without the secret. Its `ETag` goes into `If-Match`.',
        headers: IfNoneMatchHeaders,
        response: { 200: AlertWebhook },
      },
    },
    (_request, reply) => {
      const webhook = rules.webhook()
      void reply.header('etag', etagOf(webhook))
      return { ...open(webhook), waiting: alerts.waiting }
    },
  )

  app.put(
    '/alerts/webhook',
    {
      schema: {
        operationId: 'setAlertWebhook',
        tags,
        summary: 'Set the webhook of alerts',
        description:
          'Sends notices of alerts as `POST` with a JSON body and a signature in `X-Tessera-Signature`. Without `secret`, ' +
          'the first call makes one and shows it once. With `If-Match` it is refused with `precondition_failed` if ' +
          'someone changed the webhook.',
        headers: Type.Object({
          ...IfMatchHeaders.properties,
          'if-none-match': onlyCreate('precondition_failed', 'a webhook'),
        }),
        body: AlertWebhookSpec,
        response: { 200: AlertWebhookSet },
      },
    },
    async (request, reply) => {
      checkUrl(request.body.url, alerts.allowPrivate)
      const create = request.headers['if-none-match'] !== undefined
      const check = create ? requireNone : matches(request)
      const { webhook, made } = await rules.setWebhook(request.body, request.who, check)
      void reply.header('etag', etagOf(webhook))
      return { ...open(webhook), waiting: alerts.waiting, ...(made !== undefined && { secret: made }) }
    },
  )

  app.delete(
    '/alerts/webhook',
    {
      schema: {
        operationId: 'removeAlertWebhook',
        tags,
        summary: 'Delete the webhook of alerts',
        description:
          'Deletes the webhook and its secret, and drops the notices that wait. With `If-Match` it is refused with ' +
          '`precondition_failed` if someone changed the webhook.',
        headers: IfMatchHeaders,
        response: { 200: AlertWebhook },
      },
    },
    (request) =>
      rules.removeWebhook(matches(request)).then((webhook) => {
        alerts.forgetNotices()
        return { ...open(webhook), waiting: alerts.waiting }
      }),
  )
}
