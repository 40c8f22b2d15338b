import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem, problemText } from '../../api/problem'
import type { Planned } from './ChangeList'

/** A change that the server has looked at, for the version of the settings that the edit began from. */
export interface Reviewed<Patch> {
  patch: Patch
  changes: readonly Planned[]
  etag: string
}

interface Options<Patch, Saved> {
  /** of the settings as they were read last */
  etag: string
  /** whether there are drafts */
  edited: boolean
  plan: (patch: Patch, etag: string) => Promise<{ changes?: readonly Planned[] }>
  save: (patch: Patch, reason: string | undefined, etag: string) => Promise<Saved>
  /** of a patch, the settings of these fields alone */
  keep: (patch: Patch, fields: ReadonlySet<string>) => Patch
  /** reads the settings, or their history, again */
  readAgain: () => Promise<unknown>
  readHistory: () => Promise<unknown>
  onSaved: (saved: Saved) => void
}

/**
 * Looks at a change before it is made, and makes it, for the version that the edit began from: what the page reads while
 * it lasts can be somebody else's. After a failure that is the newest, because its values stand beside the failure.
 */
export function useReview<Patch, Saved>({ etag: newest, edited, ...calls }: Options<Patch, Saved>) {
  const [etag, setEtag] = useState(newest)
  const [reviewed, setReviewed] = useState<Reviewed<Patch>>()
  const review = useMutation({
    mutationFn: async (patch: Patch) => ({ patch, changes: (await calls.plan(patch, etag)).changes ?? [] }),
    onSuccess: ({ patch, changes }) => {
      const fields = new Set(changes.filter(({ applies }) => applies === 'at_once').map(({ field }) => field))
      setReviewed({ patch: calls.keep(patch, fields), changes, etag })
    },
    onError: calls.readAgain,
  })
  const save = useMutation({
    mutationFn: ({ patch, etag: of, reason }: Reviewed<Patch> & { reason: string | undefined }) =>
      calls.save(patch, reason, of),
    onSuccess: (saved) => {
      setReviewed(undefined)
      calls.onSaved(saved)
    },
    onError: calls.readAgain,
    onSettled: calls.readHistory,
  })
  const failed = review.isError || save.isError
  if (etag !== newest && (!edited || failed)) setEtag(newest)
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
