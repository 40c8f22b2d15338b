import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { adoptOrphan, removeOrphan } from '../../api/actions'
import { orphansQuery } from '../../api/queries'
import type { Orphan } from '../../api/types'
import { useRefreshNamespaces } from '../../components/jobs/use-job'
import { bytes, count, dateTime, plural } from '../../format'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Confirm } from '../../ui/Confirm'
import { Dialog } from '../../ui/Dialog'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { toast } from '../../ui/toast'

/** Orphaned folders with their contents, to adopt or delete. */
export function OrphansCard() {
  const { data } = useQuery(orphansQuery())
  const [adopting, setAdopting] = useState<Orphan>()
  const [removing, setRemoving] = useState<Orphan>()
  if (data === undefined || data.items.length === 0) return null
  return (
    <Card title="Orphaned folders" aside="not listed in the manifest; adopt or delete them" flush>
      <DataTable
        label="Orphaned folders"
        rows={data.items}
        keyOf={({ id }) => id}
        columns={[
          { name: 'folder', sort: ({ id }) => id, cell: ({ id }) => <code>{id}</code> },
          { name: 'contents', cell: (orphan) => <Says orphan={orphan} /> },
          { name: 'files', right: true, sort: ({ files }) => files, cell: ({ files }) => count(files) },
          { name: 'bytes', right: true, sort: (orphan) => orphan.bytes, cell: (orphan) => bytes(orphan.bytes) },
          {
            name: 'actions',
            actions: true,
            cell: (orphan) => (
              <div className="row">
                {orphan.adoptable && (
                  <Button small onClick={() => setAdopting(orphan)}>
                    Adopt…
                  </Button>
                )}
                <Button small look="danger" onClick={() => setRemoving(orphan)}>
                  Delete…
                </Button>
              </div>
            ),
          },
        ]}
      />
      {adopting !== undefined && <Adopt orphan={adopting} onClose={() => setAdopting(undefined)} />}
      {removing !== undefined && <Remove orphan={removing} onClose={() => setRemoving(undefined)} />}
    </Card>
  )
}

function Says({ orphan: { namespace, reason } }: { orphan: Orphan }) {
  return (
    <>
      {namespace !== undefined && (
        <div>
          {namespace.config.name}, {namespace.config.storage.engine}, created{' '}
          {dateTime(Date.parse(namespace.createdAt))}
        </div>
      )}
      {reason !== undefined && <div className="mute">{reason}</div>}
    </>
  )
}

interface Props {
  orphan: Orphan
  onClose: () => void
}

function Adopt({ orphan: { id, namespace }, onClose }: Props) {
  const refresh = useRefreshNamespaces()
  const [name, setName] = useState(namespace?.config.name ?? '')
  const adopt = useMutation({
    mutationFn: () => adoptOrphan(id, name),
    onSuccess: ({ state }) => {
      toast(state === 'ready' ? `Adopted ${name}` : `Adopted ${name}; its state is ${state}`)
      onClose()
    },
    onSettled: refresh,
  })
  return (
    <Dialog title={`Adopt folder ${id}`} open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          adopt.mutate()
        }}
      >
        <p>
          Lists the namespace again and opens it with its records, sets and indexes. Earlier truncations still apply.
        </p>
        <TextField label="Name" value={name} onChange={setName} mono autoFocus />
        <Problem error={adopt.error} />
        <div className="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={name === ''} busy={adopt.isPending}>
            Adopt
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Remove({ orphan, onClose }: Props) {
  const refresh = useRefreshNamespaces()
  const remove = useMutation({
    mutationFn: () => removeOrphan(orphan.id),
    onSuccess: () => {
      toast(`Deleted folder ${orphan.id}`)
      onClose()
    },
    onSettled: refresh,
  })
  return (
    <Confirm
      title={`Delete folder ${orphan.id}`}
      typed={orphan.id}
      action="Delete folder"
      busy={remove.isPending}
      open
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>
        Deletes {plural(orphan.files, 'file')} with {bytes(orphan.bytes)}. This cannot be undone.
      </p>
      <Problem error={remove.error} />
    </Confirm>
  )
}
