import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { removeDropped, restoreDropped } from '../../api/actions'
import { droppedQuery } from '../../api/queries'
import type { Dropped } from '../../api/types'
import { useMay } from '../../api/use-may'
import { useRefreshNamespaces } from '../../components/jobs/use-job'
import { bytes, clock, count, plural } from '../../format'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Confirm } from '../../ui/Confirm'
import { Dialog } from '../../ui/Dialog'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Ago } from '../../ui/Time'
import { toast } from '../../ui/toast'

/** Dropped namespaces, to restore or to delete for good before their time is up. */
export function DroppedCard() {
  const { data } = useQuery(droppedQuery())
  const may = useMay()
  const [restoring, setRestoring] = useState<Dropped>()
  const [removing, setRemoving] = useState<Dropped>()
  if (data === undefined || data.items.length === 0) return null
  return (
    <Card title="Dropped namespaces" aside="restore one before its time is up; then it is gone" flush>
      <DataTable
        label="Dropped namespaces"
        rows={data.items}
        keyOf={({ id }) => id}
        columns={[
          { name: 'name', sort: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
          { name: 'engine', low: 4, cell: ({ config }) => config.storage.engine },
          {
            name: 'dropped',
            low: 3,
            sort: ({ droppedAt }) => droppedAt,
            cell: ({ droppedAt }) => <Ago time={droppedAt} />,
          },
          { name: 'gone at', sort: ({ until }) => until, cell: ({ until }) => clock(Date.parse(until)) },
          {
            name: 'records',
            low: 1,
            right: true,
            cell: ({ records }) => (records === undefined ? '–' : count(records)),
          },
          { name: 'holds', low: 2, right: true, cell: ({ memoryBytes, diskBytes }) => bytes(memoryBytes + diskBytes) },
          {
            name: 'actions',
            actions: true,
            cell: (dropped) => (
              <div className="row">
                {may('restoreDropped') && (
                  <Button small onClick={() => setRestoring(dropped)}>
                    Restore…
                  </Button>
                )}
                {may('removeDropped') && (
                  <Button small look="danger" onClick={() => setRemoving(dropped)}>
                    Delete…
                  </Button>
                )}
              </div>
            ),
          },
        ]}
      />
      {restoring !== undefined && <Restore dropped={restoring} onClose={() => setRestoring(undefined)} />}
      {removing !== undefined && <Remove dropped={removing} onClose={() => setRemoving(undefined)} />}
    </Card>
  )
}

interface Props {
  dropped: Dropped
  onClose: () => void
}

function Restore({ dropped: { id, name: own, memoryBytes, config }, onClose }: Props) {
  const refresh = useRefreshNamespaces()
  const [name, setName] = useState(own)
  const restore = useMutation({
    mutationFn: () => restoreDropped(id, name),
    onSuccess: ({ state }) => {
      toast(state === 'ready' ? `Restored ${name}` : `Restored ${name}; its state is ${state}`)
      onClose()
    },
    onSettled: refresh,
  })
  const keepsName = config.storage.engine === 'memory' && memoryBytes > 0
  return (
    <Dialog title={`Restore ${own}`} open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          restore.mutate()
        }}
      >
        <p>Lists the namespace again with its records, sets and indexes.</p>
        {keepsName ? (
          <p className="mute">Records in memory keep their namespace’s name. It must be free.</p>
        ) : (
          <TextField label="Name" value={name} onChange={setName} mono autoFocus />
        )}
        <Problem error={restore.error} />
        <div className="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={name === ''} busy={restore.isPending}>
            Restore
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Remove({ dropped: { id, name, records, diskBytes, memoryBytes }, onClose }: Props) {
  const refresh = useRefreshNamespaces()
  const remove = useMutation({
    mutationFn: () => removeDropped(id, name),
    onSuccess: () => {
      toast(`Deleted the dropped namespace ${name}`)
      onClose()
    },
    onSettled: refresh,
  })
  return (
    <Confirm
      title={`Delete ${name} for good`}
      typed={name}
      action="Delete for good"
      busy={remove.isPending}
      open
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>
        Deletes {records === undefined ? 'all its records' : plural(records, 'record')} and frees{' '}
        {bytes(memoryBytes + diskBytes)}. This cannot be undone.
      </p>
      <Problem error={remove.error} />
    </Confirm>
  )
}
