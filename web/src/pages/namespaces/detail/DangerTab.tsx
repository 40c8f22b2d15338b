import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { dropNamespace, previewDropNamespace, restoreDropped } from '../../../api/actions'
import { CurlLine } from '../../../components/CurlLine'
import { isOpen } from '../../../components/namespaces/namespace-states'
import { useRefreshNamespaces } from '../../../components/jobs/use-job'
import { useMay } from '../../../api/use-may'
import { useStatusPart } from '../../../components/use-status'
import { bytes, duration } from '../../../format'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Confirm } from '../../../ui/Confirm'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'
import { Switch } from '../../../ui/Switch'
import { toast } from '../../../ui/toast'
import { useNamespace } from './use-namespace'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'
import { problemText } from '../../../api/problem'

/** Drops the namespace, after a dry run and a confirmation by name. */
export function DangerTab() {
  const { name, state, config } = useNamespace()
  const known = isOpen({ state })
  // A cluster is not the server's own.
  const stays = config.storage.engine === 'cassandra'
  const navigate = useNavigate()
  const may = useMay()
  const refresh = useRefreshNamespaces()
  const [asking, setAsking] = useState(false)
  const [forGood, setForGood] = useState(false)
  const undoSeconds = useStatusPart((status) => status.undoSeconds) ?? 0
  const undoTime = duration(undoSeconds, { whole: true })
  const canUndo = undoSeconds > 0 && !forGood
  const preview = useQuery({
    queryKey: ['drop-preview', name],
    queryFn: () => previewDropNamespace(name),
    staleTime: 0,
  })
  const undo = useMutation({
    mutationFn: (id: string) => restoreDropped(id, name),
    onSuccess: () => toast(t('Restored {name}', { name })),
    onError: (error) => toast(problemText(error), 'bad'),
    onSettled: refresh,
  })
  const drop = useMutation({
    mutationFn: () => dropNamespace(name, forGood),
    onSuccess: async ({ records, restorable }) => {
      await navigate({ to: '/namespaces' })
      refresh()
      const text =
        known && !stays
          ? t('Dropped {name} with {records, plural, one {# record} other {# records}}', { name, records })
          : t('Dropped {name}', { name })
      if (restorable === undefined || !may('restoreDropped')) toast(text)
      else toast(text, 'good', { label: t('Undo'), run: () => undo.mutate(restorable.id) })
    },
  })
  return (
    <Card
      title={t('Drop this namespace')}
      aside={
        stays
          ? t('forgets its settings; the records stay on the cluster')
          : undoSeconds > 0
            ? t('deletes records, indexes and settings; can be undone for {undoTime}', { undoTime })
            : t('deletes records, indexes and settings; this cannot be undone')
      }
    >
      <div className="stack">
        {preview.data === undefined && preview.error === null ? (
          <Skeleton lines={1} />
        ) : (
          preview.data !== undefined &&
          !stays && (
            <p>
              {known ? (
                <Say
                  text="Dry run: <strong>{records, plural, one {# record} other {# records}}</strong>, {bytes}, {indexes, plural, one {# index} other {# indexes}} would be deleted."
                  values={{
                    strong: (parts) => <strong>{parts}</strong>,
                    records: preview.data.records,
                    bytes: bytes(preview.data.bytes),
                    indexes: preview.data.indexes,
                  }}
                />
              ) : (
                t(
                  'Dry run: all its records (their number is not known), {bytes}, {indexes, plural, one {# index} other {# indexes}} would be deleted.',
                  { bytes: bytes(preview.data.bytes), indexes: preview.data.indexes },
                )
              )}
            </p>
          )
        )}
        <Problem error={preview.error} />
        <CurlLine
          method="DELETE"
          path={`/api/v1/namespaces/${encodeURIComponent(name)}`}
          headers={{ 'X-Confirm': name }}
        />
        <div>
          <Button look="danger" onClick={() => setAsking(true)}>
            {t('Drop {name}…', { name })}
          </Button>
        </div>
      </div>
      <Confirm
        title={t('Drop {name}', { name })}
        typed={name}
        action={t('Drop namespace')}
        busy={drop.isPending}
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => drop.mutate()}
      >
        <p>
          {stays ? (
            <Say
              text="Forgets the namespace <code>{name}</code>. To use its records again, create it with <code>attach</code>."
              values={{ name }}
            />
          ) : preview.data === undefined || !known ? (
            <Say text="Deletes the namespace <code>{name}</code> with all its records." values={{ name }} />
          ) : (
            <Say
              text="Deletes the namespace <code>{name}</code> with {records, plural, one {# record} other {# records}}."
              values={{ name, records: preview.data.records }}
            />
          )}
        </p>
        {undoSeconds > 0 && (
          <Switch label={t('Delete for good at once')} checked={forGood} onChange={setForGood}>
            {t('Delete for good at once')}
          </Switch>
        )}
        <p className="mute">
          {canUndo
            ? [
                may('restoreDropped')
                  ? t('It can be restored for {undoTime} from the page Namespaces.', { undoTime })
                  : t(
                      'It can be restored for {undoTime} from the page Namespaces, by an operator of the whole server.',
                      {
                        undoTime,
                      },
                    ),
                t(
                  'Until then it holds its memory and disks. Its backup schedule and its threshold for slow operations do not come back.',
                ),
              ].join(' ')
            : t('This cannot be undone.')}
        </p>
        <Problem error={drop.error} />
      </Confirm>
    </Card>
  )
}
