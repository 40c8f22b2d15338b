// What the signed-in caller may do. The server decides; the console asks here, and only here, so as to offer nothing
// that the server would refuse.
import { needs, roles } from './roles.gen'
import type { Grant, Me, Role } from './types'

/** An operation of the API, by its id in the OpenAPI document. */
export type Operation = keyof typeof needs

/** Where the operation is to work. Without a namespace it is asked whether there is any such place. */
export interface Place {
  namespace?: string | undefined
  set?: string | undefined
}

export type May = (operation: Operation, place?: Place) => boolean

/** Operations of these scopes work in a single set; of a namespace without a set it is asked whether there is one. */
const OF_SETS: ReadonlySet<string> = new Set(['set', 'import', 'each'])

/** Whether a read-only server refuses it. */
export const changesSomething = (operation: Operation): boolean => needs[operation].changes

export const roleNeeded = (operation: Operation): Role => needs[operation].role

const allows = (has: Role, needed: Role): boolean => roles.indexOf(has) >= roles.indexOf(needed)

/** Nothing before it is known who the caller is. */
export function mayDo(me: Pick<Me, 'grants'> | undefined, operation: Operation, place: Place = {}): boolean {
  const { role, scope } = needs[operation]
  const grants = (me?.grants ?? []).filter((grant) => allows(grant.role, role))
  if (scope === 'server') return grants.some(({ namespace }) => namespace === undefined)
  return grants.some((grant) => reaches(grant, place, OF_SETS.has(scope)))
}

function reaches({ namespace, setPrefix = '' }: Grant, place: Place, ofSets: boolean): boolean {
  if (namespace === undefined) return true
  if (place.namespace === undefined) return ofSets || setPrefix === ''
  if (place.namespace !== namespace) return false
  if (!ofSets) return setPrefix === ''
  return place.set === undefined || place.set.startsWith(setPrefix)
}
