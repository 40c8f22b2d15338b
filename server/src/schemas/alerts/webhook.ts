// The webhook: where notices of alerts go.
import { type Static, Type } from 'typebox'
import { count, flag, text, timestamp } from '../quantities.js'

const Url = Type.String({
  minLength: 8,
  maxLength: 2048,
  description:
    'Address of the receiver, `http` or `https`, without a user name. A private, loopback, link-local or reserved ' +
    'address is refused unless `TESSERA_WEBHOOK_PRIVATE` is true.',
  examples: ['https://alerts.example.com/tessera'],
})

export const AlertWebhookSpec = Type.Object(
  {
    url: Url,
    secret: Type.Optional(
      Type.String({
        minLength: 16,
        maxLength: 256,
        pattern: '^[\\x21-\\x7e]+$',
        writeOnly: true,
        description:
          'Key of the signature, 16 to 256 printable ASCII characters. Unset: the one that it has, or a new one. No answer ' +
          'shows it again.',
      }),
    ),
    enabled: Type.Optional(Type.Boolean({ description: 'False: notices are not sent. Default: true.' })),
  },
  {
    title: 'AlertWebhookSpec',
    description: 'The webhook to use.',
    additionalProperties: false,
    examples: [{ url: 'https://alerts.example.com/tessera' }],
  },
)
export type AlertWebhookSpec = Static<typeof AlertWebhookSpec>

const fields = {
  url: Url,
  enabled: flag('False: notices are not sent.'),
  secretSetAt: timestamp('When its secret was set'),
  updatedAt: timestamp('When it was changed last'),
  who: text('Who changed it last: `token`, `token:NAME`, `user:NAME`, `console` or `local`.'),
  waiting: count('Notices that wait to be sent.'),
}
const example = {
  url: 'https://alerts.example.com/tessera',
  enabled: true,
  secretSetAt: '2026-11-26T11:20:31.002Z',
  updatedAt: '2026-11-26T11:20:31.002Z',
  who: 'token',
  waiting: 0,
}

export const AlertWebhook = Type.Object(fields, {
  title: 'AlertWebhook',
  description: 'Where notices of alerts go.',
  examples: [example],
})
export type AlertWebhook = Static<typeof AlertWebhook>

export const AlertWebhookSet = Type.Object(
  {
    ...fields,
    secret: Type.Optional(text('The new secret, if the server made one. It is shown only here.')),
  },
  {
    title: 'AlertWebhookSet',
    description: 'The webhook as it was set.',
    examples: [{ ...example, secret: 'q1zX0J1m2p9cV4uY7tK3wA' }],
  },
)
export type AlertWebhookSet = Static<typeof AlertWebhookSet>
