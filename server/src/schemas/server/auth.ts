import { type Static, Type } from 'typebox'
import { text, timestamp } from '../quantities.js'
import { choice } from '../words.js'

export const LoginRequest = Type.Object(
  {
    token: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        writeOnly: true,
        description: 'The administrator token. Needed unless the `Authorization` header carries it.',
      }),
    ),
  },
  {
    title: 'LoginRequest',
    description: 'Signs a browser in. Send no body if the `Authorization` header carries the token.',
    additionalProperties: false,
    examples: [{ token: 'k0oZ6gAq2hXvJYw8c1mTn4sRb7dLf9uEpVxNiW3yQaU' }],
  },
)
export type LoginRequest = Static<typeof LoginRequest>

export const LoginLink = Type.Object(
  {
    url: text('Open it in a browser to start a session. It works once.'),
    expiresAt: timestamp('When the link expires'),
  },
  {
    title: 'LoginLink',
    description: 'A link that signs a browser in.',
    examples: [{ url: 'http://127.0.0.1:7373/login?code=Zt3vQ1', expiresAt: '2026-01-31T12:10:00.000Z' }],
  },
)
export type LoginLink = Static<typeof LoginLink>

export const Me = Type.Object(
  {
    user: text('Name of the user. There is one: `admin`.'),
    method: choice(['token', 'session', 'none'], {
      description: 'How the request was authenticated. `none`: the server runs with `--no-auth`.',
    }),
    expiresAt: Type.Optional(timestamp('When the session ends', 'Only for sessions.')),
  },
  {
    title: 'Me',
    description: 'Who the request is signed in as.',
    examples: [{ user: 'admin', method: 'session', expiresAt: '2026-01-31T20:00:00.000Z' }],
  },
)
export type Me = Static<typeof Me>
