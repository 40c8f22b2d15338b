import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { planChange, updateNamespace } from '../../../api/actions'
import { ApiProblem, problemText } from '../../../api/problem'
import { configRevisionsQuery, namespaceQuery } from '../../../api/queries'
import type { NamespacePatch, PlannedChange, VersionedNamespace } from '../../../api/types'

/** A change that the server has looked at, for the version of the settings that the edit began from. */
export interface Reviewed {
  patch: NamespacePatch
  changes: readonly PlannedChange[]
  etag: string
}

/**
 * Looks at a change before it is made, and makes it, for the version that the edit began from: what the page reads while
 * it lasts can be somebody else's. After a failure that is the newest, because its values stand beside the failure.
 */
export function useReview(
  namespace: VersionedNamespace,
  { edited, onSaved }: { edited: boolean; onSaved: () => void },
) {
  const { name } = namespace
  const { queryKey } = namespaceQuery(name)
  const queries = useQueryClient()
  const [etag, setEtag] = useState(namespace.etag)
  const [reviewed, setReviewed] = useState<Reviewed>()
  const readAgain = () => queries.invalidateQueries({ queryKey, exact: true })
  const review = useMutation({
    mutationFn: async (patch: NamespacePatch) => ({
      patch,
      changes: (await planChange(name, patch, etag)).changes ?? [],
    }),
    onSuccess: ({ patch, changes }) => {
      const fields = new Set(changes.filter(({ applies }) => applies === 'at_once').map(({ field }) => field))
      const sent = Object.fromEntries(Object.entries(patch).filter(([key]) => fields.has(key)))
      setReviewed({ patch: sent, changes, etag })
    },
    onError: readAgain,
  })
  const save = useMutation({
    mutationFn: ({ patch, etag: of, reason }: Reviewed & { reason: string | undefined }) =>
      updateNamespace(name, reason === undefined ? patch : { ...patch, reason }, of),
    onSuccess: (saved) => {
      queries.setQueryData(queryKey, saved)
      setReviewed(undefined)
      onSaved()
    },
    onError: readAgain,
    onSettled: () => queries.invalidateQueries({ queryKey: configRevisionsQuery(name).queryKey }),
  })
  const failed = review.isError || save.isError
  if (etag !== namespace.etag && (!edited || failed)) setEtag(namespace.etag)
  return {
    review,
    save,
    reviewed,
    close: () => {
      setReviewed(undefined)
      save.reset()
    },
    /** What was refused, at the field that it names. */
    refused: refusedOf(review.error) ?? refusedOf(save.error) ?? {},
    forget: () => {
      if (review.isError) review.reset()
      if (save.isError) save.reset()
    },
  }
}

function refusedOf(error: unknown): Record<string, string> | undefined {
  return error instanceof ApiProblem && error.field !== undefined ? { [error.field]: problemText(error) } : undefined
}
