// What a session may do: what its user may do now.
import type { FastifyInstance } from 'fastify'
import { ADMIN, type Grants, grantsOf } from './grants.js'
import type { Session } from './sessions.js'

const OPERATOR = grantsOf([{ role: 'operator' }])

/** Undefined: the user was removed or disabled, or has another password. */
export function grantsOfSession({ users }: Pick<FastifyInstance, 'users'>, { user, own }: Session): Grants | undefined {
  if (user !== undefined) return users.grantsOf(user.name, user.stamp)
  // The server's own calls are those of an experiment, which operators start.
  return own ? OPERATOR : ADMIN
}
