import { type Static, Type } from 'typebox'
import { flag, text, timestamp } from '../quantities.js'
import { choice, UserName } from '../words.js'
import { SignedInWith } from './sessions.js'
import { Grants } from './tokens.js'
import { Code, OwnSecondFactor } from './second-factor.js'
import { Password } from './users.js'

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
    user: Type.Optional(UserName),
    password: Type.Optional(Password('The password of `user`.')),
    code: Type.Optional(Code()),
  },
  {
    title: 'LoginRequest',
    description:
      'Signs a browser in, with a token or with a user and a password. Send no body if the `Authorization` header ' +
      'carries the token.',
    additionalProperties: false,
    examples: [{ user: 'ada', password: 'correct horse battery staple' }],
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

export const SignInWays = Type.Object(
  {
    password: flag('True: users sign in with a password.'),
    provider: Type.Optional(text('Host of the OpenID Connect provider. Unset: there is none.')),
  },
  {
    title: 'SignInWays',
    description: 'How people can sign in to the console.',
    examples: [{ password: true, provider: 'id.example.com' }],
  },
)

export const SignedOutHere = Type.Object(
  { next: text('Where the browser signs out at the provider, too. It comes back to the sign-in page.') },
  {
    title: 'SignedOut',
    description: 'The session has ended here, and not at the provider.',
    examples: [{ next: 'https://id.example.com/logout?client_id=tessera' }],
  },
)

export const Me = Type.Object(
  {
    id: text('Tells the caller from all others, also from one who gets the same name later.'),
    user: text('Name of the user, person or API token; `admin` for the administrator token.'),
    grants: Grants,
    method: choice(['token', 'session', 'none'], {
      description: 'How the request was authenticated. `none`: the server runs with `--no-auth`.',
    }),
    expiresAt: Type.Optional(
      timestamp('When the API token ends, or the session if it is not used again', 'Unset: never.'),
    ),
    signedInWith: Type.Optional(SignedInWith),
    hasPassword: Type.Optional(flag('True: a user, who can change the password.')),
    secondFactor: Type.Optional(OwnSecondFactor),
  },
  {
    title: 'Me',
    description: 'Who the request is signed in as, and what they may do.',
    examples: [
      {
        id: '5f0c3a9b7d21e84f6c0a1b2d3e4f5a6b',
        user: 'ada',
        grants: [{ role: 'operator', namespace: 'shop' }],
        method: 'session',
        expiresAt: '2026-01-31T13:00:00.000Z',
        signedInWith: 'password',
        hasPassword: true,
        secondFactor: { needed: true, since: '2026-01-31T12:06:00.000Z', recoveryCodesLeft: 10 },
      },
    ],
  },
)
export type Me = Static<typeof Me>
