import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { previewTruncate, truncate } from '../../../../api/actions'
import type { Namespace } from '../../../../api/types'
import { useMay } from '../../../../api/use-may'
import { useRefreshNamespaces } from '../../../../components/jobs/use-job'
import { useStatusPart } from '../../../../components/use-status'
import { bytes, duration } from '../../../../format'
import { Confirm } from '../../../../ui/Confirm'
import { Problem } from '../../../../ui/Problem'
import { Skeleton } from '../../../../ui/Skeleton'
import { Switch } from '../../../../ui/Switch'
import { toast } from '../../../../ui/toast'
import { useUndoTruncation } from './use-undo-truncation'
import { t } from '../../../../language/text'
import { Say } from '../../../../language/Say'

interface Props {
  namespace: Pick<Namespace, 'name' | 'capabilities'>
  set: string | undefined
  onClose: () => void
}

/** Deletes all records of a set, after a dry run and a confirmation by name. It can be undone for a while. */
export function TruncateSet({ namespace: { name: ns, capabilities }, set, onClose }: Props) {
  const refresh = useRefreshNamespaces()
  const mayUndo = useMay()('undoTruncation', { namespace: ns })
  const undo = useUndoTruncation(ns)
  const [forGood, setForGood] = useState(false)
  const undoTime = duration(useStatusPart((status) => status.undoSeconds) ?? 0, { whole: true })
  const preview = useQuery({
    queryKey: ['truncate-preview', ns, set],
    queryFn: () => previewTruncate(ns, set ?? ''),
    enabled: set !== undefined,
    staleTime: 0,
  })
  const report = preview.data !== undefined && 'records' in preview.data ? preview.data : undefined
  const undoable = report?.undoable === true
  const run = useMutation({
    mutationFn: () => truncate(ns, set ?? '', forGood),
    onSuccess: (job) => {
      refresh()
      const canUndo = mayUndo && 'parameters' in job && job.parameters['undoUntil'] !== undefined
      if (canUndo)
        toast(t('Truncated {set}', { set: set ?? '' }), 'good', { label: t('Undo'), run: () => undo.mutate(job.id) })
      else toast(t('Truncating {set}: see Jobs', { set: set ?? '' }))
      onClose()
    },
  })
  return (
    <Confirm
      title={t('Truncate {set}', { set: set ?? '' })}
      typed={set}
      action={t('Delete all records')}
      busy={run.isPending}
      open={set !== undefined}
      onClose={onClose}
      onConfirm={() => run.mutate()}
    >
      <p>
        <Say
          text="Deletes all records of the set <code>{set}</code>. The set and its settings stay."
          values={{ set }}
        />
      </p>
      {report === undefined ? (
        <Skeleton lines={1} />
      ) : (
        <p>
          <Say
            text="Dry run: <strong>{records, plural, one {# record} other {# records}}</strong>, {bytes}."
            values={{
              strong: (parts) => <strong>{parts}</strong>,
              records: report.records,
              bytes: bytes(report.bytes),
            }}
          />
        </p>
      )}
      {undoable && (
        <Switch label={t('Delete for good at once')} checked={forGood} onChange={setForGood}>
          {t('Delete for good at once')}
        </Switch>
      )}
      {report !== undefined && (
        <p className="mute">
          {undoable && !forGood
            ? t(
                'It can be undone for {undoTime} below the sets. Until then the records keep their space. If writes need that, they are removed earlier.',
                { undoTime },
              )
            : capabilities.undoTruncate
              ? t('This cannot be undone.')
              : t('This cannot be undone: the records are on a cluster.')}
        </p>
      )}
      <Problem error={preview.error ?? run.error} />
    </Confirm>
  )
}
