// GET /login?code=..: trades a login code for a session cookie, once, and redirects to the console. HEAD has no effect.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app-types.js'
import { sessionCookie } from '../auth/credentials.js'
import { failedLogin } from '../auth/login.js'
import { toFailure } from '../errors.js'

/** `sendPage` answers the console's own page, which asks for the token. */
export function loginRoute(scope: App, sendPage: (request: FastifyRequest, reply: FastifyReply) => FastifyReply): void {
  scope.get(
    '/login',
    {
      config: { public: true },
      schema: { hide: true, querystring: Type.Object({ code: Type.Optional(Type.String({ maxLength: 128 })) }) },
    },
    (request, reply) => {
      const { code } = request.query
      // A program that looks at a link for a preview must not use it up.
      if (code === undefined || request.method === 'HEAD') return sendPage(request, reply)
      reply.header('cache-control', 'no-store')
      const session = scope.access.redeem(code)
      if (session !== null) return reply.header('set-cookie', sessionCookie(session)).redirect('/', 303)
      const failure = failedLogin(
        request,
        'login_code_invalid',
        'this login link was used or has expired; create a new one',
      )
      // A browser gets the sign-in page, which explains the failure. A program gets the problem.
      if (request.headers.accept?.includes('text/html') !== true) throw failure
      return reply.redirect(`/login?failed=${toFailure(failure).code}`, 303)
    },
  )
}
