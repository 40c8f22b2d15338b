import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { adoptOrphan, removeOrphan } from '../../api/actions'
import { orphansQuery } from '../../api/queries'
import type { Orphan } from '../../api/types'
import { useRefreshNamespaces } from '../../components/jobs/use-job'
import { bytes, count, dateTime } from '../../format'
import { DataTable } from '../../table/DataTable'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Confirm } from '../../ui/Confirm'
import { Dialog } from '../../ui/Dialog'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { toast } from '../../ui/toast'
import { serverText } from '../../language/server-text'
import { t } from '../../language/text'

/** Orphaned folders with their contents, to adopt or delete. */
export function OrphansCard() {
  const { data } = useQuery(orphansQuery())
  const [adopting, setAdopting] = useState<Orphan>()
  const [removing, setRemoving] = useState<Orphan>()
  if (data === undefined || data.items.length === 0) return null
  return (
    <Card title={t('Orphaned folders')} aside={t('not listed in the manifest; adopt or delete them')} flush>
      <DataTable
        label={t('Orphaned folders')}
        rows={data.items}
        keyOf={({ id }) => id}
        columns={[
          { name: 'folder', label: t('folder'), sort: ({ id }) => id, cell: ({ id }) => <code>{id}</code> },
          { name: 'contents', label: t('contents'), cell: (orphan) => <Says orphan={orphan} /> },
          {
            name: 'files',
            label: t('files'),
            right: true,
            sort: ({ files }) => files,
            cell: ({ files }) => count(files),
          },
          {
            name: 'bytes',
            label: t('bytes'),
            right: true,
            sort: (orphan) => orphan.bytes,
            cell: (orphan) => bytes(orphan.bytes),
          },
          {
            name: 'actions',
            label: t('actions'),
            actions: true,
            cell: (orphan) => (
              <div className="row">
                {orphan.adoptable && (
                  <Button small onClick={() => setAdopting(orphan)}>
                    {t('Adopt…')}
                  </Button>
                )}
                <Button small look="danger" onClick={() => setRemoving(orphan)}>
                  {t('Delete…')}
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

function Says({ orphan: { namespace, reason, reasonSaid } }: { orphan: Orphan }) {
  return (
    <>
      {namespace !== undefined && (
        <div>
          {t('{name}, {engine}, created {createdAt}', {
            name: namespace.config.name,
            engine: namespace.config.storage.engine,
            createdAt: dateTime(Date.parse(namespace.createdAt)),
          })}
        </div>
      )}
      {reason !== undefined && <div className="mute">{serverText(reason, reasonSaid)}</div>}
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
      toast(
        state === 'ready' ? t('Adopted {name}', { name }) : t('Adopted {name}; its state is {state}', { name, state }),
      )
      onClose()
    },
    onSettled: refresh,
  })
  return (
    <Dialog title={t('Adopt folder {id}', { id })} open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          adopt.mutate()
        }}
      >
        <p>
          {t(
            'Lists the namespace again and opens it with its records, sets and indexes. Earlier truncations still apply.',
          )}
        </p>
        <TextField label={t('Name')} value={name} onChange={setName} mono autoFocus />
        <Problem error={adopt.error} />
        <div className="row end">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" look="primary" disabled={name === ''} busy={adopt.isPending}>
            {t('Adopt')}
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
      toast(t('Deleted folder {id}', { id: orphan.id }))
      onClose()
    },
    onSettled: refresh,
  })
  return (
    <Confirm
      title={t('Delete folder {id}', { id: orphan.id })}
      typed={orphan.id}
      action={t('Delete folder')}
      busy={remove.isPending}
      open
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>
        {t('Deletes {files, plural, one {# file} other {# files}} with {bytes}. This cannot be undone.', {
          files: orphan.files,
          bytes: bytes(orphan.bytes),
        })}
      </p>
      <Problem error={remove.error} />
    </Confirm>
  )
}
