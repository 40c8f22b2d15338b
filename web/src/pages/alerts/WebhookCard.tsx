import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { removeAlertWebhook } from '../../api/actions'
import { alertWebhookQuery } from '../../api/queries'
import { dateTime, plural } from '../../format'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Confirm } from '../../ui/Confirm'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { toast } from '../../ui/toast'
import type { StoredWebhook } from './WebhookConflict'
import { WebhookDialog } from './WebhookDialog'

/** Where notices go. `isSet` unset: not known yet. */
export function WebhookCard({ isSet }: { isSet: boolean | undefined }) {
  const { data: found, error, refetch } = useQuery(alertWebhookQuery(isSet === true))
  const data = isSet === false ? null : isSet === true ? found : undefined
  /** What the dialog began from, however the webhook changes meanwhile; null: none was set, unset: it is closed. */
  const [edited, setEdited] = useState<StoredWebhook | null>()
  const [removing, setRemoving] = useState(false)
  return (
    <Card
      title="Webhook"
      aside="gets a signed POST when an alert fires or ends"
      end={
        data !== undefined && (
          <div className="row">
            <Button small onClick={() => setEdited(data)}>
              {data === null ? 'Set…' : 'Change…'}
            </Button>
            {data !== null && (
              <Button small look="danger" aria-label="Delete the webhook" onClick={() => setRemoving(true)}>
                Delete…
              </Button>
            )}
          </div>
        )
      }
    >
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={1} />}
      {data === null && <p className="mute">No webhook is set. Alerts are shown here only.</p>}
      {data !== undefined && data !== null && (
        <p>
          <code>{data.url}</code>{' '}
          <span className={`badge ${data.enabled ? 'good' : ''}`}>{data.enabled ? 'on' : 'off'}</span>{' '}
          <span className="mute">
            secret set {dateTime(Date.parse(data.secretSetAt))}
            {data.waiting > 0 && ` · ${plural(data.waiting, 'notice')} waiting`}
          </span>
        </p>
      )}
      {edited !== undefined && <WebhookDialog webhook={edited} onClose={() => setEdited(undefined)} />}
      {removing && data !== undefined && data !== null && (
        <RemoveWebhook etag={data.etag} onClose={() => setRemoving(false)} />
      )}
    </Card>
  )
}

function RemoveWebhook({ etag, onClose }: { etag: string; onClose: () => void }) {
  const queries = useQueryClient()
  // The version that the reader saw: after a lost race, a second click must not win it.
  const [seen] = useState(etag)
  const remove = useMutation({
    mutationFn: () => removeAlertWebhook(seen),
    onSuccess: () => {
      toast('Deleted the webhook')
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  })
  return (
    <Confirm
      title="Delete the webhook"
      action="Delete webhook"
      busy={remove.isPending}
      open
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>This also deletes its secret and drops waiting notices.</p>
      <Problem error={remove.error} />
    </Confirm>
  )
}
