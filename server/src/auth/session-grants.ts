// What a session may do: what its user may do now.
import type { FastifyInstance } from 'fastify'
import { ADMIN, type Grants, grantsOf } from './grants.js'
import type { Session } from './sessions.js'

const OPERATOR = grantsOf([{ role: 'operator' }])

/** Undefined: the user was removed or disabled, or has another password. */
export function grantsOfSession(
  { users }: Pick<FastifyInstance, 'users'>,
  { user, person, own }: Session,
): Grants | undefined {
  // Nobody tells when the groups of a person change: they are those of the sign-in until the session ends.
  if (person !== undefined) return person.grants
  if (user !== undefined) return users.grantsOf(user.name, user.stamp)
  // The server's own calls are those of an experiment, which operators start.
  return own ? OPERATOR : ADMIN
}
