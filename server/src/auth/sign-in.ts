// A browser signs in: with a login link, the administrator token, or a password.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { GatewayError } from '../errors.js'
import { addressOf } from '../network/address.js'
import { markCookie, markIn, placeOf, sessionCookie, sessionIn } from './cookies.js'
import type { Grants } from './grants.js'
import type { Beginner } from './sessions.js'
import { say, type Sentence } from '../sentences/sentence.js'

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

/** What a person knows, and what they have. */
export interface Proof {
  user: string
  password: string
  /** Of the second factor, if there is one. */
  code?: string | undefined
}

/**
 * The stamp of a password, if it is that of a user who may sign in, and its code is right if the user needs one. Wrong
 * codes count as wrong passwords do. Who does not know the password learns nothing about the second factor.
 *
 * @throws GatewayError `too_many_logins` before it is looked at, `code_required`, `code_invalid`, `overloaded`
 */
export async function stampOf(request: FastifyRequest, proof: Proof): Promise<string | undefined> {
  const { user: name, password, code } = proof
  const { access, guesses, users } = request.server
  const known = users.stamp(name)
  const device = known === undefined ? undefined : access.devices.deviceOf(markIn(request), { name, stamp: known })
  let lacking: GatewayError | undefined
  const right = await guesses.password({ address: addressOf(request), user: name, device }, async () => {
    const stamp = await users.stampOf(name, password)
    if (stamp === undefined || users.factorOf(name) === undefined) return stamp
    if (code === undefined) lacking = lacksCode('code_required', say('send the code of your authenticator app, too'))
    else if (!(await users.useCode(name, stamp, code))) {
      lacking = lacksCode('code_invalid', say('the code is wrong, or was used before'))
      return undefined
    }
    return stamp
  })
  if (lacking === undefined) return right
  // For the audit log: the password was right.
  request.who = `user:${name}`
  throw lacking
}

const lacksCode = (code: 'code_required' | 'code_invalid', detail: Sentence): GatewayError =>
  new GatewayError(code, detail, { field: 'code' })

/**
 * Begins a session of a user. One answer for an unknown user, a wrong password and a disabled user.
 *
 * @throws GatewayError `auth_invalid`, `too_many_logins`, `code_required`, `code_invalid`, `overloaded`
 */
export async function signIn(
  request: FastifyRequest,
  reply: FastifyReply,
  proof: Proof,
): Promise<{ grants: Grants; endMs: number }> {
  const { users } = request.server
  const { user } = proof
  const stamp = await stampOf(request, proof)
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
