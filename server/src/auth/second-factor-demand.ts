// Of whom the server demands a second factor. A session of such a user that has none may only set it up.
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Demand } from '../config/config-shape.js'
import { type Grants, mayAnywhere } from './grants.js'
import type { Session } from './sessions.js'

/** A session may call these before the factor is set up. */
const OPEN: ReadonlySet<unknown> = new Set([
  'getMe',
  'logout',
  'beginSecondFactor',
  'confirmSecondFactor',
  'removeSecondFactor',
])

/** Persons of a provider have their factor there, and the administrator token is no password. */
const DEMANDED: Readonly<Record<Demand, (grants: Grants) => boolean>> = {
  none: () => false,
  admins: (grants) => mayAnywhere(grants, 'admin'),
  operators: (grants) => mayAnywhere(grants, 'operator'),
  all: () => true,
}

type Server = Pick<FastifyInstance, 'config' | 'users'>

export const isFactorDemanded = ({ config }: Pick<Server, 'config'>, grants: Grants): boolean =>
  DEMANDED[config.secondFactor](grants)

/** Whether this session, with these grants, may only set up a second factor. */
export const lacksFactor = (server: Server, { user }: Pick<Session, 'user'>, grants: Grants): boolean =>
  user !== undefined && isFactorDemanded(server, grants) && server.users.factorOf(user.name) === undefined

export const isOpenWithoutFactor = ({ schema }: Pick<RouteOptions, 'schema'>): boolean =>
  OPEN.has((schema as { operationId?: string } | undefined)?.operationId)
