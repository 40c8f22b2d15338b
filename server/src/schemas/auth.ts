import { type Static, Type } from 'typebox'
import { Timestamp } from './quantities.js'
import { choice } from './words.js'

export const LoginRequest = Type.Object(
  {
    token: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'the administrator token, where no Authorization header carries it',
      }),
    ),
  },
  { title: 'LoginRequest', additionalProperties: false },
)
export type LoginRequest = Static<typeof LoginRequest>

export const LoginLink = Type.Object(
  {
    url: Type.String({ description: 'open it once in a browser: it starts a session and is burned' }),
    expiresAt: Timestamp,
  },
  { title: 'LoginLink' },
)
export type LoginLink = Static<typeof LoginLink>

export const Me = Type.Object(
  {
    user: Type.String(),
    method: choice(['token', 'session', 'none'], {
      description: 'none: the server runs with --no-auth',
    }),
    expiresAt: Type.Optional(Timestamp),
  },
  { title: 'Me' },
)
export type Me = Static<typeof Me>
