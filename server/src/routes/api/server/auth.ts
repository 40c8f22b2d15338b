// Signing in to the console, and out of it.
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { callerId, userId } from '../../../auth/caller-id.js'
import { tokenFor } from '../../../auth/callers.js'
import { markCookie, noSession, placeOf, sessionCookie, sessionIn } from '../../../auth/cookies.js'
import { isSameOrigin, tokenIn } from '../../../auth/credentials.js'
import { nameOfOwner, type Session, type SignedIn, wayOf } from '../../../auth/sessions.js'
import { loginUrl, signIn, stampOf, startSession } from '../../../auth/sign-in.js'
import { json } from '../../../bodies/rule.js'
import { type Grants, NOTHING } from '../../../auth/grants.js'
import { checkNewPassword } from '../../../auth/passwords.js'
import { isFactorDemanded } from '../../../auth/second-factor-demand.js'
import { originOf } from '../../../network/host-name.js'
import { GatewayError } from '../../../errors.js'
import { optionalBody } from '../../../schemas/bodies.js'
import { LoginLink, LoginRequest, Me, SignedOutHere, SignInWays } from '../../../schemas/server/auth.js'
import type { OwnSecondFactor } from '../../../schemas/server/second-factor.js'
import { PasswordChange } from '../../../schemas/server/users.js'
import { say } from '../../../sentences/sentence.js'

const tags = ['auth']

export function authRoutes(app: App): void {
  const ownFactor = (name: string, grants: Grants): OwnSecondFactor => {
    const factor = app.users.factorOf(name)
    return {
      needed: isFactorDemanded(app, grants),
      ...(factor !== undefined && { since: factor.since, recoveryCodesLeft: factor.recoveryCodesLeft }),
    }
  }

  app.post(
    '/auth/login',
    {
      config: { public: true, body: json({ required: false }) },
      schema: {
        operationId: 'createLogin',
        tags,
        summary: 'Sign in, or create a login link',
        description:
          'With a user and a password, this call starts a session and answers who is signed in (200). Users with a ' +
          'second factor send its `code`, too: a right password alone is refused with `code_required`. With the ' +
          'administrator token, it answers a link that signs a browser in once (201). With the token in the body, it ' +
          'also starts a session by itself. After some wrong credentials, the next are refused with ' +
          '`too_many_logins` and not looked at.',
        body: optionalBody(LoginRequest),
        response: { 200: Me, 201: LoginLink },
      },
    },
    async (request, reply) => {
      // A page of another site must not sign a browser in as somebody else.
      if (!isSameOrigin(request))
        throw new GatewayError('origin_refused', say('sign in from the console'), { field: 'origin' })
      const { user, password, code: factorCode, token } = request.body ?? {}
      if (user !== undefined || password !== undefined) {
        if (token !== undefined)
          throw new GatewayError('field_invalid', say('send a token, or a user and a password'), { field: 'token' })
        if (user === undefined || password === undefined)
          throw new GatewayError('field_missing', say('send a user and a password'), {
            field: user === undefined ? 'user' : 'password',
          })
        const { grants, endMs } = await signIn(request, reply, { user, password, code: factorCode })
        const expiresAt = new Date(endMs).toISOString()
        const id = userId(app.users.get(user))
        const how = { method: 'session', signedInWith: 'password' } as const
        const secondFactor = ownFactor(user, grants)
        return { id, user, grants: [...grants.list], ...how, expiresAt, hasPassword: true, secondFactor }
      }
      checkAdministrator(request, token)
      const code = app.access.newCode()
      if (token !== undefined) startSession(request, reply)
      void reply.code(201)
      return {
        url: loginUrl(`${originOf(request)}${app.config.basePath}`, code.secret),
        expiresAt: new Date(code.expiresAtMs).toISOString(),
      }
    },
  )

  app.get(
    '/auth/ways',
    {
      config: { public: true },
      schema: {
        operationId: 'getSignInWays',
        tags,
        summary: 'Show how people can sign in',
        description:
          'Answers the OpenID Connect provider, if there is one. A browser signs in with it at `/login/oidc`. Needs no ' +
          'credentials.',
        response: { 200: SignInWays },
      },
    },
    () => ({ password: true, ...(app.oidc !== undefined && { provider: app.oidc.name }) }),
  )

  app.post(
    '/auth/logout',
    {
      schema: {
        operationId: 'logout',
        tags,
        summary: 'End the session',
        description:
          'Ends the session of the cookie and deletes the cookie. Without a session it does nothing. If a provider has signed ' +
          'the person in, and has a place to sign out, the answer tells it.',
        response: { 200: SignedOutHere, 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { sessions, keptSessions, oidc } = request.server
      const session = sessions.find(sessionIn(request) ?? '')
      if (session !== undefined) sessions.end(session)
      await keptSessions.written()
      void reply.header('set-cookie', sessionCookie(noSession, placeOf(request)))
      const back = (): string => `${originOf(request)}${app.config.basePath}/login`
      const next = session?.person === undefined ? undefined : await oidc?.endOf(session.person, back())
      return next === undefined ? reply.code(204).send(null) : reply.code(200).send({ next })
    },
  )

  /** Who has sent the right old password. */
  const proven = new WeakMap<FastifyRequest, { session: Session; user: SignedIn }>()
  app.post(
    '/auth/password',
    {
      // A wrong one is refused before the audit log announces a change.
      preHandler: async (request) => {
        const { session } = request
        if (session?.user === undefined)
          throw new GatewayError('user_required', say('only a user who is signed in can change a password'))
        const { name } = session.user
        const { password, newPassword, code } = request.body as PasswordChange
        // Before a code is used up.
        await checkNewPassword(newPassword, name, 'newPassword')
        const stamp = await stampOf(request, { user: name, password, code })
        if (stamp === undefined)
          throw new GatewayError('password_wrong', say('the old password is wrong'), { field: 'password' })
        proven.set(request, { session, user: { name, stamp } })
      },
      schema: {
        operationId: 'changePassword',
        tags,
        summary: 'Change your password',
        description:
          'Sets the password of the user who is signed in, and ends the other sessions of this user. A wrong old ' +
          'password is refused with `password_wrong`, and counts as a wrong sign-in. Users with a second factor send ' +
          'its `code`, too.',
        body: PasswordChange,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const right = proven.get(request)
      if (right === undefined) throw new Error('the old password was not looked at')
      const { session, user } = right
      const { name } = user
      const changed = { name, stamp: await app.users.changeOwn(name, user.stamp, request.body.newPassword) }
      app.sessions.renew(session, changed)
      app.sessions.endOf(name, session)
      void reply.code(204).header('set-cookie', markCookie(app.access.devices.newMark(changed), placeOf(request)))
      return null
    },
  )

  app.get(
    '/auth/me',
    {
      schema: {
        operationId: 'getMe',
        tags,
        summary: 'Show who is signed in',
        description: 'Answers the user, what they may do and where, and how this request was authenticated.',
        response: { 200: Me },
      },
    },
    (request) => {
      const { who, grants: { list } = NOTHING, apiToken, session } = request
      const [id, grants] = [callerId(request), [...list]]
      if (who === 'local') return { id, user: 'admin', grants, method: 'none' as const }
      if (session !== undefined)
        return {
          id,
          user: nameOfOwner(session) ?? 'admin',
          grants,
          method: 'session' as const,
          signedInWith: wayOf(session),
          expiresAt: new Date(app.sessions.endMs(session)).toISOString(),
          ...(session.user !== undefined && {
            hasPassword: true,
            secondFactor: ownFactor(session.user.name, request.grants ?? NOTHING),
          }),
        }
      return {
        id,
        user: apiToken?.name ?? 'admin',
        grants,
        method: 'token' as const,
        ...(apiToken?.expiresAt !== undefined && { expiresAt: apiToken.expiresAt }),
      }
    },
  )
}

/** @throws GatewayError unless the body or the header has the administrator token */
function checkAdministrator(request: FastifyRequest, inBody: string | undefined): void {
  const { authorization } = request.headers
  const token = inBody ?? (authorization === undefined ? null : tokenIn(authorization, false))
  if (token === null)
    throw new GatewayError(
      'auth_required',
      say('send a user and a password, or the token as {body} or as {header}', {
        body: '{"token": ".."}',
        header: 'Authorization: Bearer <token>',
      }),
    )
  const found = tokenFor(request, token)
  if (found === 'token') return
  if (found === undefined)
    throw new GatewayError('auth_invalid', say('the token is wrong; use the one in admin.token of the data directory'))
  throw new GatewayError(
    'role_required',
    say('a user or the administrator token signs in to the console; API tokens are for programs'),
  )
}
