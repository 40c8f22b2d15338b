// Users: people who sign in with a password, each with grants.
import { type Static, Type } from 'typebox'
import { page } from '../pages.js'
import { flag, text, timestamp } from '../quantities.js'
import { UserName } from '../words.js'
import { CallerLimits } from './caller-limits.js'
import { Code } from './second-factor.js'
import { Grants } from './tokens.js'

/** As it is typed: `checkNewPassword` has the rule for a new one. */
export const Password = (description: string) =>
  Type.String({ minLength: 1, maxLength: 1024, writeOnly: true, description })

const rule = '12 to 256 characters, without the name of the user, and not easy to guess.'

export const UserSpec = Type.Object(
  {
    name: UserName,
    grants: Grants,
    password: Password(`The password: ${rule}`),
    limits: Type.Optional(CallerLimits),
  },
  {
    title: 'UserSpec',
    description: 'A user to be made.',
    additionalProperties: false,
    examples: [{ name: 'ada', grants: [{ role: 'operator' }], password: 'correct horse battery staple' }],
  },
)
export type UserSpec = Static<typeof UserSpec>

export const UserPatch = Type.Object(
  {
    grants: Type.Optional(Grants),
    password: Type.Optional(Password(`The new password: ${rule}`)),
    disabled: Type.Optional(flag('Whether the user cannot sign in.')),
    limits: Type.Optional(CallerLimits),
  },
  {
    title: 'UserPatch',
    description: 'What to change of a user. What is unset stays.',
    additionalProperties: false,
    examples: [{ grants: [{ role: 'reader' }] }],
  },
)
export type UserPatch = Static<typeof UserPatch>

export const User = Type.Object(
  {
    name: text('Name of the user, which no other has.'),
    grants: Grants,
    disabled: flag('True: the user cannot sign in.'),
    createdAt: timestamp('When it was made'),
    who: text('Who made it: `token` is the administrator token, `token:NAME` an API token, `user:NAME` another user.'),
    lastSignInAt: Type.Optional(timestamp('When the user last signed in', 'Unset: not yet.')),
    secondFactorSince: Type.Optional(
      timestamp('Since when the user needs a code to sign in', 'Unset: the password alone signs in.'),
    ),
    limits: Type.Optional(CallerLimits),
  },
  {
    title: 'User',
    description: 'Somebody who signs in with a password.',
    examples: [
      {
        name: 'ada',
        grants: [{ role: 'operator' }],
        disabled: false,
        createdAt: '2026-01-31T12:00:00.000Z',
        who: 'token',
        lastSignInAt: '2026-01-31T12:05:00.000Z',
        secondFactorSince: '2026-01-31T12:06:00.000Z',
      },
    ],
  },
)
export type User = Static<typeof User>

export const UserPage = page(User, 'UserPage', 'users')

export const PasswordChange = Type.Object(
  {
    password: Password('The password until now.'),
    newPassword: Password(`The new one: ${rule}`),
    code: Type.Optional(Code()),
  },
  {
    title: 'PasswordChange',
    description: 'A change of your own password.',
    additionalProperties: false,
    examples: [{ password: 'correct horse battery staple', newPassword: 'four other random words' }],
  },
)
export type PasswordChange = Static<typeof PasswordChange>
