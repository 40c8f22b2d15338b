import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { updateNamespace } from '../../../api/actions'
import { namespaceQuery } from '../../../api/queries'
import type { NamespacePatch, VersionedNamespace } from '../../../api/types'

/**
 * Changes settings of a namespace for the version that the edit began from: what the page reads while it lasts can be
 * somebody else's. After a failure that is the newest, because its values stand beside the failure.
 */
export function useChange(
  namespace: VersionedNamespace,
  { edited, onSaved }: { edited: boolean; onSaved: () => void },
) {
  const { queryKey } = namespaceQuery(namespace.name)
  const queries = useQueryClient()
  const [etag, setEtag] = useState(namespace.etag)
  const save = useMutation({
    mutationFn: (patch: NamespacePatch) => updateNamespace(namespace.name, patch, etag),
    onSuccess: (saved) => {
      queries.setQueryData(queryKey, saved)
      onSaved()
    },
    onError: () => queries.invalidateQueries({ queryKey, exact: true }),
  })
  if (etag !== namespace.etag && (!edited || save.isError)) setEtag(namespace.etag)
  return { save, etag }
}
