// A browser signs in: with a login link, the administrator token, or a password.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { GatewayError } from '../errors.js'
import { addressOf } from '../network/address.js'
import { markCookie, markIn, placeOf, sessionCookie, sessionIn } from './cookies.js'
import type { Grants } from './grants.js'
import type { Beginner } from './sessions.js'
import { say } from '../sentences/sentence.js'

/** `origin`: with the path below which the server is reached. */
export const loginUrl = (origin: string, code: string): string => `${origin}/login?code=${code}`

/** Begins a session and sets its cookie. It replaces the session that the browser has. Returns when it ends. */
export function startSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { user, person, lifeMs, signedInAtMs }: Pick<Beginner, 'user' | 'person' | 'lifeMs' | 'signedInAtMs'> = {},
): number {
  const { sessions, access } = request.server
  const before = sessions.find(sessionIn(request) ?? '')
  if (before !== undefined) sessions.end(before)
  const userAgent = request.headers['user-agent']
  const session = sessions.begin({ address: addressOf(request), userAgent, user, person, lifeMs, signedInAtMs })
  const place = placeOf(request)
  const cookies = [sessionCookie(session, place)]
  if (user !== undefined) cookies.push(markCookie(access.devices.newMark(user), place))
  void reply.header('set-cookie', cookies.length === 1 ? cookies[0] : cookies)
  return session.expiresAtMs
}

/**
 * The stamp of a password, if it is that of a user who may sign in.
 *
 * @throws GatewayError `too_many_logins` before it is looked at, `overloaded`
 */
export function stampOf(request: FastifyRequest, name: string, password: string): Promise<string | undefined> {
  const { access, guesses, users } = request.server
  const stamp = users.stamp(name)
  const device = stamp === undefined ? undefined : access.devices.deviceOf(markIn(request), { name, stamp })
  return guesses.password({ address: addressOf(request), user: name, device }, () => users.stampOf(name, password))
}

/**
 * Begins a session of a user. One answer for an unknown user, a wrong password and a disabled user.
 *
 * @throws GatewayError `auth_invalid`, `too_many_logins`, `overloaded`
 */
export async function signIn(
  request: FastifyRequest,
  reply: FastifyReply,
  user: string,
  password: string,
): Promise<{ grants: Grants; endMs: number }> {
  const { users } = request.server
  const stamp = await stampOf(request, user, password)
  const grants = stamp === undefined ? undefined : users.grantsOf(user, stamp)
  if (stamp === undefined || grants === undefined)
    throw new GatewayError('auth_invalid', say('the user or the password is wrong'))
  const endMs = startSession(request, reply, { user: { name: user, stamp } })
  users.signedIn(user)
  // For the audit log.
  request.who = `user:${user}`
  request.grants = grants
  return { grants, endMs }
}
