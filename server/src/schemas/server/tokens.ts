// API tokens: credentials of programs, each with roles and where they hold.
import { type Static, Type } from 'typebox'
import { ROLES } from '../../auth/roles.js'
import { CallerLimits } from './caller-limits.js'
import { page } from '../pages.js'
import { moment, text, timestamp } from '../quantities.js'
import { choice, NamespaceName, SetName, TokenName } from '../words.js'

const roleRule =
  '`reader` sees data and state. `writer` also writes records. `operator` also changes namespaces, sets, indexes, jobs ' +
  'and alert rules. `admin` also manages tokens, users, sessions and the webhook.'

export const Role = choice(ROLES, { description: `What the caller may do. ${roleRule}` })

/** Most grants of one caller. */
const GRANTS_MAX = 100

export const Grant = Type.Object(
  {
    role: Role,
    namespace: Type.Optional({
      ...NamespaceName,
      description: 'Only in this namespace, which need not exist yet. Unset: the whole server. Not for `admin`.',
    }),
    setPrefix: Type.Optional({
      ...SetName,
      description:
        'Only in those sets of the namespace whose names begin with this. Unset: the whole namespace. Only for `reader` ' +
        'and `writer`.',
      examples: ['eu-'],
    }),
  },
  {
    title: 'Grant',
    description: 'A role, and where it holds.',
    additionalProperties: false,
    examples: [{ role: 'writer', namespace: 'shop', setPrefix: 'eu-' }],
  },
)

export const Grants = Type.Array(Grant, {
  minItems: 1,
  maxItems: GRANTS_MAX,
  description: `What the caller may do, and where: all that one of these allows. 1 to ${GRANTS_MAX}.`,
})

export const ApiTokenSpec = Type.Object(
  {
    name: TokenName,
    grants: Grants,
    expiresAt: Type.Optional(
      moment('When the token stops working: RFC 3339, later than now. Unset: never.', '2027-01-31T00:00:00Z'),
    ),
    limits: Type.Optional(CallerLimits),
  },
  {
    title: 'ApiTokenSpec',
    description: 'A token to be made.',
    additionalProperties: false,
    examples: [
      { name: 'nightly-load', grants: [{ role: 'writer', namespace: 'shop' }], expiresAt: '2027-01-31T00:00:00Z' },
    ],
  },
)
export type ApiTokenSpec = Static<typeof ApiTokenSpec>

export const ApiTokenPatch = Type.Object(
  { limits: CallerLimits },
  {
    title: 'ApiTokenPatch',
    description: 'What to change of a token. `{"limits": {}}` gives it those of the configuration.',
    additionalProperties: false,
    examples: [{ limits: { requestsPerSecond: 100, burst: 200, requestsAtOnce: 16 } }],
  },
)
export type ApiTokenPatch = Static<typeof ApiTokenPatch>

const example = {
  id: '0mwuurgcxcbe8f5',
  name: 'nightly-load',
  grants: [{ role: 'writer', namespace: 'shop' }],
  prefix: 'tsr_k0oZ6g',
  createdAt: '2026-01-31T12:00:00.000Z',
  who: 'console',
  expiresAt: '2027-01-31T00:00:00.000Z',
  lastUsedAt: '2026-01-31T12:05:00.000Z',
  limits: { requestsPerSecond: 100 },
} satisfies object

const fields = {
  id: text('Id of the token.'),
  name: text('Name of the token, which no other has. It is shown where the token has started or changed something.'),
  grants: Grants,
  prefix: text('The first characters of the token. Nobody can read the rest again.'),
  createdAt: timestamp('When it was made'),
  who: text(
    'Who made it: `token` is the administrator token, `token:NAME` another API token, `user:NAME` a user, ' +
      '`console` a session of the administrator token.',
  ),
  expiresAt: Type.Optional(timestamp('When it stops working', 'Unset: never.')),
  lastUsedAt: Type.Optional(timestamp('When it was last used, to the minute', 'Unset: not yet.')),
  limits: Type.Optional(CallerLimits),
}

export const ApiToken = Type.Object(fields, {
  title: 'ApiToken',
  description: 'A credential of a program.',
  examples: [example],
})
export type ApiToken = Static<typeof ApiToken>

export const ApiTokenPage = page(ApiToken, 'ApiTokenPage', 'API tokens')

export const NewApiToken = Type.Object(
  { ...fields, token: text('The token itself. No other answer has it.') },
  {
    title: 'NewApiToken',
    description: 'A token that was just made.',
    examples: [{ ...example, token: 'tsr_k0oZ6gAq2hXvJYw8c1mTn4sRb7dLf9uEpVxNiW3yQaU' }],
  },
)
