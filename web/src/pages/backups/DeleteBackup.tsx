import { useMutation } from '@tanstack/react-query'
import { removeBackup, type Target, useRefreshBackups } from '../../api/backups'
import type { Backup } from '../../api/types'
import { CurlLine } from '../../components/CurlLine'
import { bytes } from '../../format'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { Dialog } from '../../ui/Dialog'
import { Problem } from '../../ui/Problem'
import { toast } from '../../ui/toast'
import { buildOn, chainOf } from './chain'
import { targetQuery } from './target'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

interface Props {
  backup: Backup
  target: Target
  backups: readonly Backup[]
  onClose: () => void
}

/** Deletes the files of a backup. One that others build on is not deleted; it says which those are. */
export function DeleteBackup({ backup, target, backups, onClose }: Props) {
  const { id, namespace, bytes: size } = backup
  const refresh = useRefreshBackups()
  const remove = useMutation({
    mutationFn: () => removeBackup({ id, target }),
    onSuccess: () => {
      refresh()
      toast(t('Deleted the backup {id}', { id }))
      onClose()
    },
  })
  const above = buildOn(backup, backups)
  const title = t('Delete a backup')
  if (above.length > 0)
    return (
      <Dialog title={title} open onClose={onClose}>
        <div className="stack">
          <p>
            <Say
              text="{above, plural, one {# backup builds on <code>{id}</code>. Delete it first:} other {# backups build on <code>{id}</code>. Delete those first:}}"
              values={{ above: above.length, id }}
            />
          </p>
          <ul className="notices">
            {above.map((one) => (
              <li key={one.id}>
                <code>{one.id}</code>
              </li>
            ))}
          </ul>
          <div className="row end">
            <Button onClick={onClose}>{t('Close')}</Button>
          </div>
        </div>
      </Dialog>
    )
  return (
    <Confirm
      title={title}
      typed={id}
      action={t('Delete backup')}
      busy={remove.isPending}
      open
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>
        {namespace === undefined ? (
          <Say text="Deletes the files of <code>{id}</code>. This cannot be undone." values={{ id }} />
        ) : (
          <Say
            text="Deletes the files of <code>{id}</code>, a backup of the namespace <code>{namespace}</code>. This cannot be undone."
            values={{ id, namespace }}
          />
        )}{' '}
        {size !== undefined && t('It has {size}.', { size: bytes(size) })}{' '}
        {chainOf(backup, backups).length > 1 && t('The backups that it builds on stay.')}
      </p>
      <CurlLine method="DELETE" path={`/api/v1/backups/${id}${targetQuery(target)}`} headers={{ 'X-Confirm': id }} />
      <Problem error={remove.error} />
    </Confirm>
  )
}
