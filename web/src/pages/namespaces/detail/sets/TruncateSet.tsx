import { useMutation, useQuery } from '@tanstack/react-query'
import { previewTruncate, truncate } from '../../../../api/actions'
import { useRefreshNamespaces } from '../../../../components/jobs/use-job'
import { bytes, plural } from '../../../../format'
import { Confirm } from '../../../../ui/Confirm'
import { Problem } from '../../../../ui/Problem'
import { Skeleton } from '../../../../ui/Skeleton'
import { toast } from '../../../../ui/toast'

/** Deletes all records of a set, after a dry run and a confirmation by name. */
export function TruncateSet({ ns, set, onClose }: { ns: string; set: string | undefined; onClose: () => void }) {
  const refresh = useRefreshNamespaces()
  const preview = useQuery({
    queryKey: ['truncate-preview', ns, set],
    queryFn: () => previewTruncate(ns, set ?? ''),
    enabled: set !== undefined,
    staleTime: 0,
  })
  const run = useMutation({
    mutationFn: () => truncate(ns, set ?? ''),
    onSuccess: () => {
      refresh()
      toast(`Truncating ${set}: see Jobs`)
      onClose()
    },
  })
  return (
    <Confirm
      title={`Truncate ${set ?? ''}`}
      typed={set}
      action="Delete all records"
      busy={run.isPending}
      open={set !== undefined}
      onClose={onClose}
      onConfirm={() => run.mutate()}
    >
      <p>
        Deletes all records of the set <code>{set}</code>. The set and its settings stay. This cannot be undone.
      </p>
      {preview.data !== undefined && 'records' in preview.data ? (
        <p>
          Dry run: <strong>{plural(preview.data.records, 'record')}</strong>, {bytes(preview.data.bytes)}.
        </p>
      ) : (
        <Skeleton lines={1} />
      )}
      <Problem error={preview.error ?? run.error} />
    </Confirm>
  )
}
