// GET /login?code=..: trades a login code for a session cookie, once, and redirects to the console. HEAD has no effect.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../app-types.js'
import { startSession } from '../auth/sign-in.js'
import { GatewayError, toFailure } from '../errors.js'
import { addressOf } from '../network/address.js'
import { say } from '../sentences/sentence.js'

/** `sendPage` answers the console's own page, which asks for the token. */
export function loginRoute(
  scope: App,
  sendPage: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  scope.get(
    '/login',
    {
      config: { public: true, operation: 'redeemLogin' },
      schema: { hide: true, querystring: Type.Object({ code: Type.Optional(Type.String({ maxLength: 128 })) }) },
    },
    (request, reply) => {
      const { code } = request.query
      // A program that looks at a link for a preview must not use it up.
      if (code === undefined || request.method === 'HEAD') return sendPage(request, reply)
      reply.header('cache-control', 'no-store')
      try {
        redeem(request, code)
        startSession(request, reply)
        return reply.redirect('/', 303)
      } catch (failure) {
        // A browser gets the sign-in page, which explains the failure. A program gets the problem.
        if (request.headers.accept?.includes('text/html') !== true) throw failure
        const { code: why } = toFailure(failure)
        request.failure = why
        return reply.redirect(`/login?failed=${why}`, 303)
      }
    },
  )
}

/** @throws GatewayError `login_code_invalid`, or `too_many_logins` before the code is looked at */
function redeem(request: FastifyRequest, code: string): void {
  const { server } = request
  const find = (): 'code' | undefined => (server.access.redeem(code) ? 'code' : undefined)
  if (server.guesses.secret(addressOf(request), code, find) === undefined)
    throw new GatewayError('login_code_invalid', say('this login link was used or has expired; create a new one'))
}
