// Sessions of the console.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { json } from '../../../bodies/rule.js'
import { noSession, sessionCookie, sessionIn, tokenIn } from '../../../auth/credentials.js'
import { failedLogin, loginUrl } from '../../../auth/login.js'
import { GatewayError } from '../../../errors.js'
import { optionalBody } from '../../../schemas/bodies.js'
import { LoginLink, LoginRequest, Me } from '../../../schemas/server/auth.js'

const tags = ['auth']

export function authRoutes(app: App): void {
  app.post(
    '/auth/login',
    {
      config: { public: true, body: json({ required: false }) },
      schema: {
        operationId: 'createLogin',
        tags,
        summary: 'Create a login link',
        description:
          'Checks the administrator token, and answers a link that signs a browser in once. With the token in ' +
          'the body, this call also starts a session by itself. Too many failures are refused with ' +
          '`too_many_logins`.',
        body: optionalBody(LoginRequest),
        response: { 201: LoginLink },
      },
    },
    (request, reply) => {
      const { authorization } = request.headers
      const token = request.body?.token ?? (authorization === undefined ? null : tokenIn(authorization, false))
      if (token === null)
        throw new GatewayError('auth_required', 'send the token as {"token": ".."} or as Authorization: Bearer <token>')
      if (!app.access.isToken(token))
        throw failedLogin(
          request,
          'auth_invalid',
          'the token is wrong; use the one in admin.token of the data directory',
        )
      const code = app.access.newCode()
      if (request.body?.token !== undefined) reply.header('set-cookie', sessionCookie(app.access.newSession()))
      reply.code(201)
      return {
        url: loginUrl(`${request.protocol}://${request.host}`, code.secret),
        expiresAt: new Date(code.expiresAtMs).toISOString(),
      }
    },
  )

  app.post(
    '/auth/logout',
    {
      schema: {
        operationId: 'logout',
        tags,
        summary: 'End the session',
        description: 'Ends the session of the cookie and deletes the cookie. Without a session it does nothing.',
        response: { 204: Type.Null() },
      },
    },
    (request, reply) => {
      const session = sessionIn(request.headers)
      if (session !== null) app.access.endSession(session)
      reply.code(204).header('set-cookie', sessionCookie(noSession)).send(null)
    },
  )

  app.get(
    '/auth/me',
    {
      schema: {
        operationId: 'getMe',
        tags,
        summary: 'Show who is signed in',
        description: 'Answers the user, and how this request was authenticated.',
        response: { 200: Me },
      },
    },
    (request) => {
      if (!app.config.auth) return { user: 'admin', method: 'none' as const }
      if (request.headers.authorization !== undefined) return { user: 'admin', method: 'token' as const }
      const end = app.access.sessionEnd(sessionIn(request.headers) ?? '')
      return {
        user: 'admin',
        method: 'session' as const,
        ...(end !== null && { expiresAt: new Date(end).toISOString() }),
      }
    },
  )
}
