// A session that somebody has left open is not enough to end the sessions of others, or to change how somebody signs in,
// which a new token or user would do, too: the person has to sign in again before.
import type { FastifyRequest } from 'fastify'
import { GatewayError } from '../errors.js'
import { say } from '../sentences/sentence.js'

/**
 * Credentials that come with the request itself are fresh each time.
 *
 * @throws GatewayError `sign_in_again`
 */
export function requireFresh({ session, server }: FastifyRequest): void {
  const { sessionFreshMs } = server.config
  if (session === undefined || Date.now() - session.signedInAtMs <= sessionFreshMs) return
  throw new GatewayError(
    'sign_in_again',
    say('sign in again: this needs a sign-in of the last {seconds, number} s', { seconds: sessionFreshMs / 1000 }),
  )
}

/** For `preHandler`, so that the audit log announces nothing that is refused. @throws GatewayError `sign_in_again` */
export const freshFirst = async (request: FastifyRequest): Promise<void> => requireFresh(request)
