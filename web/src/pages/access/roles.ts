import type { Grant } from '../../api/types'
import { t } from '../../language/text'
import { roleNames } from '../../components/api-words'

export type Role = Grant['role']

/** What each role may do beside what those before it may. */
export const roleWords: Readonly<Record<Role, string>> = {
  reader: t('sees records, namespaces, jobs, metrics and alerts; queries, scans, exports'),
  writer: t('writes and deletes records, imports, saves queries'),
  operator: t(
    'changes, migrates and drops namespaces, sets and indexes; truncates; runs jobs and benchmarks; alert rules',
  ),
  admin: t('manages users, sessions, API tokens and the webhook of alerts'),
}

/** Where a grant holds. */
export const placeWords = ({ namespace, setPrefix }: Grant): string =>
  namespace === undefined
    ? t('the whole server')
    : setPrefix === undefined
      ? namespace
      : t('{namespace}, sets {setPrefix}…', { namespace, setPrefix })

export const grantWords = (grant: Grant): string =>
  t('{role}, {place}', { role: roleNames(grant.role), place: placeWords(grant) })

const ROLES = Object.keys(roleWords) as Role[]

/** The highest of the roles, wherever it holds. */
export const topRole = (grants: readonly Grant[]): Role | undefined =>
  ROLES.findLast((role) => grants.some((grant) => grant.role === role))
