// Sessions of browsers.
import { type Static, Type } from 'typebox'
import { page } from '../pages.js'
import { flag, text, timestamp } from '../quantities.js'
import { choice } from '../words.js'
import { Grants } from './tokens.js'

export const SignedInWith = choice(['password', 'token', 'provider'], {
  description:
    'How it began. `password`: a user. `token`: the administrator token or a login link. `provider`: a person whom ' +
    'the OpenID Connect provider knows.',
})

export const SessionInfo = Type.Object(
  {
    id: text('Id of the session. It is not its secret.'),
    user: Type.Optional(text('Who has signed in. Unset: the administrator token or a login link.')),
    signedInWith: SignedInWith,
    grants: Grants,
    createdAt: timestamp('When it began'),
    lastUsedAt: timestamp('When it was last used. Requests that the console sends by itself do not count'),
    expiresAt: timestamp('When it ends if it is not used again'),
    address: Type.Optional(text('Address that it began from. Unset: the Unix socket of the server.')),
    userAgent: Type.Optional(text('The browser that it began in, as it names itself.')),
    current: flag('True: the session of this request.'),
  },
  {
    title: 'SessionInfo',
    description: 'A session of a browser.',
    examples: [
      {
        id: '0mwuurgcxcbe8f5',
        user: 'ada',
        signedInWith: 'password',
        grants: [{ role: 'operator' }],
        createdAt: '2026-01-31T12:00:00.000Z',
        lastUsedAt: '2026-01-31T12:05:00.000Z',
        expiresAt: '2026-01-31T13:05:00.000Z',
        address: '192.0.2.7',
        userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        current: true,
      },
    ],
  },
)
export type SessionInfo = Static<typeof SessionInfo>

export const SessionPage = page(SessionInfo, 'SessionPage', 'sessions')
