// What a caller may do, and where: a role for the whole server, for a namespace, or for those of its sets whose names
// begin with a prefix.
import { allows, type Role } from './roles.js'

export interface Grant {
  role: Role
  /** Unset: the whole server. */
  namespace?: string
  /** Unset: the whole namespace. */
  setPrefix?: string
}

export interface Grants {
  /** The highest role for the whole server. */
  readonly server: Role | undefined
  readonly list: readonly Grant[]
}

const known = new WeakMap<readonly Grant[], Grants>()

/** Looked through once for each list. */
export function grantsOf(list: readonly Grant[]): Grants {
  const found = known.get(list)
  if (found !== undefined) return found
  let server: Role | undefined
  for (const { role, namespace } of list)
    if (namespace === undefined && (server === undefined || allows(role, server))) server = role
  const grants = { server, list }
  known.set(list, grants)
  return grants
}

export const ADMIN = grantsOf([{ role: 'admin' }])
export const NOTHING = grantsOf([])

/** Whether they have the role for the whole server. */
export const everywhere = ({ server }: Grants, role: Role): boolean => server !== undefined && allows(server, role)

/** Whether they have it for at least one set, namespace or server. */
export const mayAnywhere = ({ list }: Grants, role: Role): boolean => list.some((grant) => allows(grant.role, role))

/** Whether they have it for a set or, without one, for the whole namespace. */
export const mayIn = (grants: Grants, role: Role, namespace: string, set?: string): boolean =>
  everywhere(grants, role) ||
  grants.list.some(
    (grant) =>
      grant.namespace === namespace &&
      allows(grant.role, role) &&
      (grant.setPrefix === undefined || (set?.startsWith(grant.setPrefix) ?? false)),
  )

/** Whether they have it for a namespace, or for some of its sets. */
export const mayInside = (grants: Grants, role: Role, namespace: string): boolean =>
  everywhere(grants, role) || grants.list.some((grant) => grant.namespace === namespace && allows(grant.role, role))
