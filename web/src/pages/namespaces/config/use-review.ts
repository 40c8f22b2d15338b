import { useQueryClient } from '@tanstack/react-query'
import { planChange, updateNamespace } from '../../../api/actions'
import { configRevisionsQuery, namespaceQuery } from '../../../api/queries'
import type { NamespacePatch, VersionedNamespace } from '../../../api/types'
import { useReview } from '../../../components/config/use-review'

/** The review of a change of a namespace. */
export function useNamespaceReview(
  { name, etag }: VersionedNamespace,
  { edited, onSaved }: { edited: boolean; onSaved: () => void },
) {
  const { queryKey } = namespaceQuery(name)
  const queries = useQueryClient()
  return useReview({
    etag,
    edited,
    plan: (patch: NamespacePatch, of) => planChange(name, patch, of),
    save: (patch, reason, of) => updateNamespace(name, reason === undefined ? patch : { ...patch, reason }, of),
    keep: (patch, fields) => Object.fromEntries(Object.entries(patch).filter(([key]) => fields.has(key))),
    readAgain: () => queries.invalidateQueries({ queryKey, exact: true }),
    readHistory: () => queries.invalidateQueries({ queryKey: configRevisionsQuery(name).queryKey }),
    onSaved: (saved) => {
      queries.setQueryData(queryKey, saved)
      onSaved()
    },
  })
}
