import { useMutation } from '@tanstack/react-query'
import { removeBackup, useRefreshBackups } from '../../api/backups'
import type { Backup } from '../../api/types'
import { CurlLine } from '../../components/CurlLine'
import { bytes, plural } from '../../format'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { Dialog } from '../../ui/Dialog'
import { Problem } from '../../ui/Problem'
import { toast } from '../../ui/toast'
import { buildOn, chainOf } from './chain'

interface Props {
  backup: Backup
  backups: readonly Backup[]
  onClose: () => void
}

/** Deletes the files of a backup. One that others build on is not deleted; it says which those are. */
export function DeleteBackup({ backup, backups, onClose }: Props) {
  const { id, namespace, bytes: size } = backup
  const refresh = useRefreshBackups()
  const remove = useMutation({
    mutationFn: () => removeBackup(id),
    onSuccess: () => {
      refresh()
      toast(`Deleted the backup ${id}`)
      onClose()
    },
  })
  const above = buildOn(backup, backups)
  const title = 'Delete a backup'
  if (above.length > 0)
    return (
      <Dialog title={title} open onClose={onClose}>
        <div className="stack">
          <p>
            {above.length === 1 ? '1 backup builds' : `${plural(above.length, 'backup')} build`} on <code>{id}</code>.
            Delete {above.length === 1 ? 'it' : 'those'} first:
          </p>
          <ul className="notices">
            {above.map((one) => (
              <li key={one.id}>
                <code>{one.id}</code>
              </li>
            ))}
          </ul>
          <div className="row end">
            <Button onClick={onClose}>Close</Button>
          </div>
        </div>
      </Dialog>
    )
  return (
    <Confirm
      title={title}
      typed={id}
      action="Delete backup"
      busy={remove.isPending}
      open
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>
        Deletes the files of <code>{id}</code>
        {namespace !== undefined && (
          <>
            {' '}
            of the namespace <code>{namespace}</code>
          </>
        )}
        {size !== undefined && `, ${bytes(size)}`}. This cannot be undone.
        {chainOf(backup, backups).length > 1 && ' The backups that it builds on stay.'}
      </p>
      <CurlLine method="DELETE" path={`/api/v1/backups/${id}`} headers={{ 'X-Confirm': id }} />
      <Problem error={remove.error} />
    </Confirm>
  )
}
