import { useQuery } from '@tanstack/react-query'
import { serverRevisionQuery, serverRevisionsQuery } from '../../api/server-config'
import type { ServerConfig } from '../../api/types'
import type { Compared } from './search'

/** The values to compare with, and why they cannot be read. */
export function useOther(
  { settings }: ServerConfig,
  compared: Compared | undefined,
): { values: Readonly<Record<string, string>> | undefined; error: unknown } {
  const revisions = useQuery(serverRevisionsQuery()).data?.items
  const number = compared?.kind === 'revision' ? compared.number : revisions?.[1]?.number
  const isOld = compared?.kind === 'revision' || (compared?.kind === 'previous' && number !== undefined)
  const revision = useQuery({ ...serverRevisionQuery(number ?? 1), enabled: isOld })
  if (compared?.kind === 'defaults')
    return { values: Object.fromEntries(settings.map(({ key, default: fallback }) => [key, fallback])), error: null }
  return isOld ? { values: revision.data?.settings, error: revision.error } : { values: undefined, error: null }
}
