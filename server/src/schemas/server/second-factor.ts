// The second factor of a password: setting it up, and its codes.
import { type Static, Type } from 'typebox'
import { count, flag, text, timestamp } from '../quantities.js'

const CODE = 'A code of the app, or a recovery code. Blanks, hyphens and case do not count. Each works once.'

export const Code = (description = `${CODE} Needed if the user has a second factor.`) =>
  Type.String({ minLength: 1, maxLength: 64, writeOnly: true, description })

export const SecondFactorSetUp = Type.Object(
  {
    secret: text('The secret in base32, to be typed into an app.'),
    uri: text('The same as `otpauth://` address, which apps read from a QR code.'),
    expiresAt: timestamp('Until when it can be confirmed'),
  },
  {
    title: 'SecondFactorSetUp',
    description: 'What an authenticator app needs. It holds once a code of the app confirms it.',
    examples: [
      {
        secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        uri: 'otpauth://totp/Tessera:ada%40db.example.com?issuer=Tessera&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
        expiresAt: '2026-01-31T12:10:00.000Z',
      },
    ],
  },
)
export type SecondFactorSetUp = Static<typeof SecondFactorSetUp>

export const SecondFactorConfirmation = Type.Object(
  { code: Code('A code of the app.') },
  {
    title: 'SecondFactorConfirmation',
    description: 'Shows that an app has the secret.',
    additionalProperties: false,
    examples: [{ code: '492039' }],
  },
)
export type SecondFactorConfirmation = Static<typeof SecondFactorConfirmation>

export const RecoveryCodes = Type.Object(
  {
    recoveryCodes: Type.Array(Type.String(), {
      minItems: 10,
      maxItems: 10,
      description: 'Codes that sign in without the app. Each works once. Only their hashes are kept.',
    }),
  },
  {
    title: 'RecoveryCodes',
    description: 'The second factor holds. Only this answer has the recovery codes.',
    examples: [
      { recoveryCodes: Array.from({ length: 10 }, (_, at) => `MFRG-GZDF-MZTW-Q2LK-NNWG-2${'ABCDEFGHIJ'[at]}7Q`) },
    ],
  },
)
export type RecoveryCodes = Static<typeof RecoveryCodes>

/** Of the user who asks. */
export const OwnSecondFactor = Type.Object(
  {
    needed: flag('True: the server demands it (`TESSERA_SECOND_FACTOR`). Without it the session may only set it up.'),
    since: Type.Optional(timestamp('When it was set up', 'Unset: there is none.')),
    recoveryCodesLeft: Type.Optional(count('Recovery codes that were not used.')),
  },
  { title: 'OwnSecondFactor', description: 'The second factor of the user who asks.' },
)
export type OwnSecondFactor = Static<typeof OwnSecondFactor>
