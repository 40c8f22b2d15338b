import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { removeAlertWebhook, setAlertWebhook } from '../../api/actions'
import { alertWebhookQuery } from '../../api/queries'
import { dateTime, plural } from '../../format'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Confirm } from '../../ui/Confirm'
import { CopyButton } from '../../ui/Copy'
import { Dialog } from '../../ui/Dialog'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { Switch } from '../../ui/Switch'
import { toast } from '../../ui/toast'

/** Where notices go. `isSet` unset: not known yet. */
export function WebhookCard({ isSet }: { isSet: boolean | undefined }) {
  const { data: found, error, refetch } = useQuery(alertWebhookQuery(isSet === true))
  const data = isSet === false ? null : isSet === true ? found : undefined
  const [open, setOpen] = useState<'set' | 'remove'>()
  const close = (): void => setOpen(undefined)
  return (
    <Card
      title="Webhook"
      aside="gets a signed POST when an alert fires or ends"
      end={
        data !== undefined && (
          <div className="row">
            <Button small onClick={() => setOpen('set')}>
              {data === null ? 'Set…' : 'Change…'}
            </Button>
            {data !== null && (
              <Button small look="danger" aria-label="Delete the webhook" onClick={() => setOpen('remove')}>
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
      {open === 'set' && data !== undefined && <WebhookDialog webhook={data} onClose={close} />}
      {open === 'remove' && data !== undefined && data !== null && <RemoveWebhook etag={data.etag} onClose={close} />}
    </Card>
  )
}

interface DialogProps {
  webhook: { url: string; enabled: boolean; etag: string } | null
  onClose: () => void
}

function WebhookDialog({ webhook, onClose }: DialogProps) {
  const queries = useQueryClient()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [secret, setSecret] = useState('')
  const [enabled, setEnabled] = useState(webhook?.enabled ?? true)
  // The version that the form began from: after a lost race, a second click must not win it.
  const [etag] = useState(webhook?.etag)
  const legal = secret === '' || /^[\x21-\x7e]{16,256}$/.test(secret)
  const save = useMutation({
    mutationFn: () => setAlertWebhook({ url, enabled, ...(secret !== '' && { secret }) }, etag),
    onSuccess: ({ secret: made }) => {
      toast('Saved the webhook')
      if (made === undefined) onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  })
  const made = save.data?.secret
  if (made !== undefined)
    return (
      <Dialog title="Secret of the webhook" open onClose={onClose}>
        <div className="stack">
          <p>The receiver needs this secret to check signatures. It is shown only now.</p>
          <p className="row">
            <code>{made}</code>
            <CopyButton text={made} />
          </p>
          <div className="row end">
            <Button look="primary" onClick={onClose}>
              Done
            </Button>
          </div>
        </div>
      </Dialog>
    )
  return (
    <Dialog title="Webhook" open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <TextField
          label="Address"
          value={url}
          onChange={setUrl}
          mono
          autoFocus
          placeholder="https://alerts.example.com/tessera"
          hint="Private and loopback addresses need TESSERA_WEBHOOK_PRIVATE=true"
        />
        <TextField
          label="Secret"
          value={secret}
          onChange={setSecret}
          mono
          hint={webhook === null ? 'Empty: the server makes one' : 'Empty: it stays as it is'}
          error={legal ? undefined : '16 to 256 characters without spaces'}
        />
        <Switch label="Send notices" checked={enabled} onChange={setEnabled}>
          {enabled ? 'on' : 'off'}
        </Switch>
        <Problem error={save.error} />
        <div className="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={save.isPending} disabled={url.length < 8 || !legal}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
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
