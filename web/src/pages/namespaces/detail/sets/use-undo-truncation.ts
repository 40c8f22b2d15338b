import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { undoTruncation } from '../../../../api/actions'
import type { Job } from '../../../../api/types'
import { useRefreshNamespaces } from '../../../../components/jobs/use-job'
import { toast } from '../../../../ui/toast'
import { t } from '../../../../language/text'
import { problemText } from '../../../../api/problem'

/** Brings back the records of a truncation, by its id. */
export function useUndoTruncation(ns: string): UseMutationResult<Job, Error, string> {
  const refresh = useRefreshNamespaces()
  return useMutation({
    mutationFn: (id) => undoTruncation(ns, id),
    onSuccess: ({ set = ns }) => toast(t('The records of {set} are back', { set })),
    onError: (error) => toast(problemText(error), 'bad'),
    onSettled: refresh,
  })
}
