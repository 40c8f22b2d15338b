import { useQueryClient } from '@tanstack/react-query'
import { planServerConfig, updateServerConfig, serverConfigQuery, serverRevisionsQuery } from '../../api/server-config'
import type { ServerConfigPatch, VersionedConfig } from '../../api/types'
import { useReview } from '../../components/config/use-review'

/** The review of a change of the server. */
export function useServerReview(
  { etag }: VersionedConfig,
  { edited, onSaved }: { edited: boolean; onSaved: () => void },
) {
  const queries = useQueryClient()
  const { queryKey } = serverConfigQuery()
  return useReview({
    etag,
    edited,
    plan: (settings: ServerConfigPatch['settings'], of) => planServerConfig({ settings }, of),
    save: (settings, reason, of) => updateServerConfig({ settings, ...(reason !== undefined && { reason }) }, of),
    keep: (settings, fields) => Object.fromEntries(Object.entries(settings).filter(([key]) => fields.has(key))),
    readAgain: () => queries.invalidateQueries({ queryKey, exact: true }),
    readHistory: () => queries.invalidateQueries({ queryKey: serverRevisionsQuery().queryKey }),
    onSaved: (saved) => {
      queries.setQueryData(queryKey, saved)
      onSaved()
    },
  })
}
