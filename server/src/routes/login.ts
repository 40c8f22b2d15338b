// GET /login?code=..: trades a login code for a session cookie, once, and goes on to the console.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sessionCookie } from '../auth/credentials.js'
import { failedLogin } from '../auth/login.js'

/** @throws GatewayError `login_code_invalid`, `too_many_logins` */
export function redeemLogin(code: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const session = request.server.access.redeem(code)
  if (session === null) throw failedLogin(request, 'login_code_invalid', 'this login link was used or is too old')
  const maxAgeSeconds = Math.floor((session.expiresAtMs - Date.now()) / 1000)
  return reply
    .header('set-cookie', sessionCookie(session.secret, maxAgeSeconds))
    .header('cache-control', 'no-store')
    .redirect('/', 303)
}
