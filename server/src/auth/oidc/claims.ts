// What a provider says about a person, and which of it decides what they may do.
import { type Static, Type } from 'typebox'
import { Errors } from 'typebox/value'
import { Grants } from '../../schemas/server/tokens.js'
import { checkGrants } from '../grant-rules.js'
import type { Grant } from '../grants.js'

/** Most different grants of the file: as many as a caller may have. */
const GRANTS_MAX = 100
const NAME_MAX = 128

export type Claims = Readonly<Record<string, unknown>>

/** The file that `TESSERA_OIDC_GRANTS` names. */
const GrantMap = Type.Object(
  {
    claim: Type.String({ minLength: 1, maxLength: 256 }),
    grants: Type.Record(Type.String({ minLength: 1, maxLength: 256 }), Grants),
  },
  { additionalProperties: false },
)
export type GrantMap = Static<typeof GrantMap>

/** @throws Error with what is wrong, as the end of a sentence */
export function readGrantMap(text: string): GrantMap {
  const map = parse(text)
  const [fault] = Errors(GrantMap, map)
  if (fault !== undefined) {
    const { instancePath, message } = fault
    throw new Error(`${instancePath || '/'} ${message === 'schema is false' ? 'is no field' : message}`)
  }
  const { grants } = map as GrantMap
  if (Object.keys(grants).length === 0) throw new Error('/grants has no value of the claim')
  for (const [value, list] of Object.entries(grants)) {
    try {
      checkGrants(list)
    } catch (error) {
      throw new Error(`/grants/${value}: ${(error as Error).message}`, { cause: error })
    }
  }
  if (distinct(Object.values(grants).flat()).length > GRANTS_MAX)
    throw new Error(`/grants has more than ${GRANTS_MAX} different grants`)
  return map as GrantMap
}

/** What the values of the claim allow together. Empty: nothing. */
export function grantsFor({ claim, grants }: GrantMap, claims: Claims): Grant[] {
  const found = valueOf(claims, claim)
  const values = (Array.isArray(found) ? found : [found]).filter((value) => typeof value === 'string')
  return distinct(values.flatMap((value) => (Object.hasOwn(grants, value) ? (grants[value] ?? []) : [])))
}

/** The name of the person; undefined if the claim is not there or no name. */
export function nameIn(claims: Claims, claim: string): string | undefined {
  const found = valueOf(claims, claim)
  if (typeof found !== 'string') return undefined
  const name = found.normalize('NFC').trim()
  return name.length === 0 || name.length > NAME_MAX || /[\p{C}\p{Zl}\p{Zp}]/u.test(name) ? undefined : name
}

export const hasClaim = (claims: Claims, claim: string): boolean => valueOf(claims, claim) !== undefined

/** A claim by its name or, if there is none of this name, by a path such as `realm_access.roles`. */
function valueOf(claims: Claims, claim: string): unknown {
  if (Object.hasOwn(claims, claim)) return claims[claim]
  let found: unknown = claims
  for (const part of claim.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined
    found = (found as Claims)[part]
  }
  return found
}

const distinct = (grants: readonly Grant[]): Grant[] => [
  ...new Map(
    grants.map((grant) => [JSON.stringify([grant.role, grant.namespace, grant.setPrefix]), grant] as const),
  ).values(),
]

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('it is no JSON')
  }
}
