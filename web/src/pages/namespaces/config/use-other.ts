import { useQuery } from '@tanstack/react-query'
import { configRevisionQuery, configRevisionsQuery, namespaceQuery } from '../../../api/queries'
import type { NamespaceConfig, VersionedNamespace } from '../../../api/types'
import { defaultsOf } from './catalogue'
import type { Compared } from './search'

/** The settings to compare with, their name, and why they cannot be read. */
export function useOther(
  { name, config }: VersionedNamespace,
  compared: Compared | undefined,
): { config: NamespaceConfig | undefined; error: unknown } {
  const revisions = useQuery(configRevisionsQuery(name)).data?.items
  const number = compared?.kind === 'revision' ? compared.number : revisions?.[1]?.number
  const isOld = compared?.kind === 'revision' || (compared?.kind === 'previous' && number !== undefined)
  const revision = useQuery({ ...configRevisionQuery(name, number ?? 1), enabled: isOld })
  const isOther = compared?.kind === 'namespace'
  const other = useQuery({ ...namespaceQuery(isOther ? compared.name : name), enabled: isOther })
  if (compared?.kind === 'defaults') return { config: defaultsOf(config), error: null }
  if (isOther) return { config: other.data?.config, error: other.error }
  return isOld ? { config: revision.data?.config, error: revision.error } : { config: undefined, error: null }
}
