import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { dropNamespace, previewDropNamespace, restoreDropped } from '../../../api/actions'
import { CurlLine } from '../../../components/CurlLine'
import { isOpen } from '../../../components/namespaces/namespace-states'
import { useRefreshNamespaces } from '../../../components/jobs/use-job'
import { useMay } from '../../../api/use-may'
import { useStatusPart } from '../../../components/use-status'
import { bytes, count, duration, plural } from '../../../format'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Confirm } from '../../../ui/Confirm'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'
import { Switch } from '../../../ui/Switch'
import { toast } from '../../../ui/toast'
import { useNamespace } from './use-namespace'

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
  const undoTime = duration(undoSeconds).replace(/ 0 s$/, '')
  const canUndo = undoSeconds > 0 && !forGood
  const preview = useQuery({
    queryKey: ['drop-preview', name],
    queryFn: () => previewDropNamespace(name),
    staleTime: 0,
  })
  const undo = useMutation({
    mutationFn: (id: string) => restoreDropped(id, name),
    onSuccess: () => toast(`Restored ${name}`),
    onError: ({ message }) => toast(message, 'bad'),
    onSettled: refresh,
  })
  const drop = useMutation({
    mutationFn: () => dropNamespace(name, forGood),
    onSuccess: async ({ records, restorable }) => {
      await navigate({ to: '/namespaces' })
      refresh()
      const text = known && !stays ? `Dropped ${name} with ${plural(records, 'record')}` : `Dropped ${name}`
      if (restorable === undefined || !may('restoreDropped')) toast(text)
      else toast(text, 'good', { label: 'Undo', run: () => undo.mutate(restorable.id) })
    },
  })
  return (
    <Card
      title="Drop this namespace"
      aside={
        stays
          ? 'forgets its settings; the records stay on the cluster'
          : undoSeconds > 0
            ? `deletes records, indexes and settings; can be undone for ${undoTime}`
            : 'deletes records, indexes and settings; this cannot be undone'
      }
    >
      <div className="stack">
        {preview.data === undefined && preview.error === null ? (
          <Skeleton lines={1} />
        ) : (
          preview.data !== undefined &&
          !stays && (
            <p>
              Dry run: {known && <strong>{count(preview.data.records)}</strong>}
              {known ? ' records' : 'all its records (their number is not known)'}, {bytes(preview.data.bytes)},{' '}
              {plural(preview.data.indexes, 'index')} would be deleted.
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
            Drop {name}…
          </Button>
        </div>
      </div>
      <Confirm
        title={`Drop ${name}`}
        typed={name}
        action="Drop namespace"
        busy={drop.isPending}
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => drop.mutate()}
      >
        <p>
          {stays ? 'Forgets' : 'Deletes'} the namespace <code>{name}</code>
          {stays ? '. To use its records again, create it with ' : ' with '}
          {stays && <code>attach</code>}
          {!stays &&
            (preview.data === undefined || !known ? 'all its records' : plural(preview.data.records, 'record'))}
          .
        </p>
        {undoSeconds > 0 && (
          <Switch label="Delete for good at once" checked={forGood} onChange={setForGood}>
            Delete for good at once
          </Switch>
        )}
        <p className="mute">
          {canUndo
            ? `It can be restored for ${undoTime} from the page Namespaces${may('restoreDropped') ? '' : ', by an operator of the whole server'}. Until then it holds its memory and disks. Its backup schedule and its threshold for slow operations do not come back.`
            : 'This cannot be undone.'}
        </p>
        <Problem error={drop.error} />
      </Confirm>
    </Card>
  )
}
