// The second factor of the user who is signed in: set up in two steps, and removed.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { requireFresh } from '../../../auth/fresh.js'
import type { Session } from '../../../auth/sessions.js'
import { GatewayError } from '../../../errors.js'
import { originOf } from '../../../network/host-name.js'
import { RecoveryCodes, SecondFactorConfirmation, SecondFactorSetUp } from '../../../schemas/server/second-factor.js'
import { say } from '../../../sentences/sentence.js'

const tags = ['auth']
const codes = () => import('../../../auth/second-factor.js')
const LIFE_MS = 10 * 60_000

const FRESH =
  'It needs a sign-in of the last 5 minutes (`TESSERA_SESSION_FRESH`): otherwise it is refused with `sign_in_again`.'

interface Begun {
  secret: string
  endMs: number
  /** When the factor was set up that it takes the place of. */
  before: string | undefined
}

export function secondFactorRoutes(app: App): void {
  const { users, sessions } = app
  /** What a session has begun. It ends with the session. */
  const begun = new WeakMap<Session, Begun>()
  /** Who has shown that an app has the secret. */
  const shown = new WeakMap<FastifyRequest, Begun & { step: number }>()

  const begin = async (request: FastifyRequest): Promise<SecondFactorSetUp> => {
    const { newSecret, uriOf } = await codes()
    const { session, name } = ownerOf(request)
    const [secret, endMs] = [newSecret(), Date.now() + LIFE_MS]
    const { host } = new URL(originOf(request))
    begun.set(session, { secret, endMs, before: users.factorOf(name)?.since })
    return { secret, uri: uriOf(secret, name, host), expiresAt: new Date(endMs).toISOString() }
  }

  const confirm = async (request: FastifyRequest): Promise<RecoveryCodes> => {
    const right = shown.get(request)
    if (right === undefined) throw new Error('the code was not looked at')
    const { session, name } = ownerOf(request)
    const { factorOf, newRecoveryCodes } = await codes()
    const recoveryCodes = newRecoveryCodes()
    await users.setFactor(name, factorOf(right.secret, right.step, recoveryCodes, Date.now()), right.before)
    begun.delete(session)
    sessions.endOf(name, session)
    await app.keptSessions.written()
    return { recoveryCodes }
  }

  app.post(
    '/auth/second-factor',
    {
      preHandler: async (request) => {
        ownerOf(request)
        requireFresh(request)
      },
      schema: {
        operationId: 'beginSecondFactor',
        tags,
        summary: 'Begin to set up a second factor',
        description:
          'Answers a secret for an authenticator app (TOTP of RFC 6238: SHA-1, 6 digits, 30 s). It holds once a code ' +
          'confirms it in the same session, within 10 minutes. A factor that there is holds until then. Only users who ' +
          `are signed in with a password have one: others are refused with \`user_required\`. ${FRESH}`,
        response: { 200: SecondFactorSetUp },
      },
    },
    (request) => begin(request),
  )

  app.put(
    '/auth/second-factor',
    {
      // A wrong code is refused before the audit log announces a change.
      preHandler: async (request) => {
        const own = begun.get(ownerOf(request).session)
        if (own === undefined || own.endMs <= Date.now())
          throw new GatewayError('second_factor_not_begun', say('this session has not begun to set up a second factor'))
        const { stepOf } = await codes()
        const step = stepOf(own.secret, (request.body as SecondFactorConfirmation).code, Date.now())
        if (step === undefined)
          throw new GatewayError('code_invalid', say('the code is not one of the app for this secret'), {
            field: 'code',
          })
        shown.set(request, { ...own, step })
      },
      schema: {
        operationId: 'confirmSecondFactor',
        tags,
        summary: 'Set up a second factor',
        description:
          'With a code of the app, the factor holds: from then on, signing in needs the password and a code. It takes ' +
          'the place of one that there was. The answer has 10 recovery codes, which no other has. The other sessions of ' +
          'the user end.',
        body: SecondFactorConfirmation,
        response: { 200: RecoveryCodes },
      },
    },
    (request) => confirm(request),
  )

  app.delete(
    '/auth/second-factor',
    {
      preHandler: async (request) => {
        users.needFactor(ownerOf(request).name)
        requireFresh(request)
      },
      schema: {
        operationId: 'removeSecondFactor',
        tags,
        summary: 'Remove your second factor',
        description:
          'The password alone signs in from then on. The other sessions of the user end. If the server demands a second ' +
          `factor, the session may then only set one up. ${FRESH}`,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { session, name } = ownerOf(request)
      await users.removeFactor(name)
      sessions.endOf(name, session)
      await app.keptSessions.written()
      void reply.code(204)
      return null
    },
  )
}

/** @throws GatewayError `user_required` */
function ownerOf({ session }: FastifyRequest): { session: Session; name: string } {
  if (session?.user === undefined)
    throw new GatewayError('user_required', say('only a user who is signed in with a password has a second factor'))
  return { session, name: session.user.name }
}
