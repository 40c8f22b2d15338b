import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { removeDropped, restoreDropped } from '../../api/actions'
import { droppedQuery } from '../../api/queries'
import type { Dropped } from '../../api/types'
import { useRefreshNamespaces } from '../../components/jobs/use-job'
import { bytes, clock, count } from '../../format'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Confirm } from '../../ui/Confirm'
import { Dialog } from '../../ui/Dialog'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Ago } from '../../ui/Time'
import { toast } from '../../ui/toast'
import { t } from '../../language/text'
import { ActionButton } from '../../components/access/ActionButton'

/** Dropped namespaces, to restore or to delete for good before their time is up. */
export function DroppedCard() {
  const { data } = useQuery(droppedQuery())
  const [restoring, setRestoring] = useState<Dropped>()
  const [removing, setRemoving] = useState<Dropped>()
  if (data === undefined || data.items.length === 0) return null
  return (
    <Card title={t('Dropped namespaces')} aside={t('restore one before its time is up; then it is gone')} flush>
      <DataTable
        label={t('Dropped namespaces')}
        rows={data.items}
        keyOf={({ id }) => id}
        columns={[
          { name: 'name', label: t('name'), sort: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
          { name: 'engine', label: t('engine'), low: 4, cell: ({ config }) => config.storage.engine },
          {
            name: 'dropped',
            label: t('dropped'),
            low: 3,
            sort: ({ droppedAt }) => droppedAt,
            cell: ({ droppedAt }) => <Ago time={droppedAt} />,
          },
          {
            name: 'gone at',
            label: t('gone at'),
            sort: ({ until }) => until,
            cell: ({ until }) => clock(Date.parse(until)),
          },
          {
            name: 'records',
            label: t('records'),
            low: 1,
            right: true,
            cell: ({ records }) => (records === undefined ? '–' : count(records)),
          },
          {
            name: 'holds',
            label: t('holds'),
            low: 2,
            right: true,
            cell: ({ memoryBytes, diskBytes }) => bytes(memoryBytes + diskBytes),
          },
          {
            name: 'actions',
            label: t('actions'),
            actions: true,
            cell: (dropped) => (
              <div className="row">
                <ActionButton operation="restoreDropped" small onClick={() => setRestoring(dropped)}>
                  {t('Restore…')}
                </ActionButton>
                <ActionButton operation="removeDropped" small look="danger" onClick={() => setRemoving(dropped)}>
                  {t('Delete…')}
                </ActionButton>
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
      toast(
        state === 'ready'
          ? t('Restored {name}', { name })
          : t('Restored {name}; its state is {state}', { name, state }),
      )
      onClose()
    },
    onSettled: refresh,
  })
  const keepsName = config.storage.engine === 'memory' && memoryBytes > 0
  return (
    <Dialog title={t('Restore {own}', { own })} open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          restore.mutate()
        }}
      >
        <p>{t('Lists the namespace again with its records, sets and indexes.')}</p>
        {keepsName ? (
          <p className="mute">{t('Records in memory keep their namespace’s name. It must be free.')}</p>
        ) : (
          <TextField label={t('Name')} value={name} onChange={setName} mono autoFocus />
        )}
        <Problem error={restore.error} />
        <div className="row end">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" look="primary" disabled={name === ''} busy={restore.isPending}>
            {t('Restore')}
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
      toast(t('Deleted the dropped namespace {name}', { name }))
      onClose()
    },
    onSettled: refresh,
  })
  return (
    <Confirm
      title={t('Delete {name} for good', { name })}
      typed={name}
      action={t('Delete for good')}
      busy={remove.isPending}
      open
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>
        {t('Deletes {records} and frees {memoryBytes}. This cannot be undone.', {
          records:
            records === undefined
              ? t('all its records')
              : t('{records, plural, one {# record} other {# records}}', { records }),
          memoryBytes: bytes(memoryBytes + diskBytes),
        })}
      </p>
      <Problem error={remove.error} />
    </Confirm>
  )
}
