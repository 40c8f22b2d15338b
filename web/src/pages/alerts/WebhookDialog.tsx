import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { setAlertWebhook } from '../../api/actions'
import { isConflict } from '../../api/problem'
import { Button } from '../../ui/Button'
import { CopyButton } from '../../ui/Copy'
import { Dialog } from '../../ui/Dialog'
import { TextField } from '../../ui/inputs'
import { Problem } from '../../ui/Problem'
import { Switch } from '../../ui/Switch'
import { toast } from '../../ui/toast'
import { type StoredWebhook, WebhookConflict } from './WebhookConflict'
import { t } from '../../language/text'

/** The ETag of a webhook that is not set. */
const NONE = '""'

interface Props {
  /** null: none is set */
  webhook: StoredWebhook | null
  onClose: () => void
}

/** Sets the webhook, or changes it. What somebody else has changed meanwhile is shown, and never overwritten unseen. */
export function WebhookDialog({ webhook, onClose }: Props) {
  const queries = useQueryClient()
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [secret, setSecret] = useState('')
  const [enabled, setEnabled] = useState(webhook?.enabled ?? true)
  // The version that the form began from: after a lost race, a second click must not win it.
  const [began, setBegan] = useState(webhook)
  const legal = secret === '' || /^[\x21-\x7e]{16,256}$/.test(secret)
  const save = useMutation({
    mutationFn: (etag: string) => setAlertWebhook({ url, enabled, ...(secret !== '' && { secret }) }, etag),
    onSuccess: ({ secret: made }) => {
      toast(t('Saved the webhook'))
      if (made === undefined) onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  })
  const takeStored = (stored: StoredWebhook | null): void => {
    setUrl(stored?.url ?? '')
    setSecret('')
    setEnabled(stored?.enabled ?? true)
    setBegan(stored)
    save.reset()
  }
  const made = save.data?.secret
  if (made !== undefined)
    return (
      <Dialog title={t('Secret of the webhook')} open onClose={onClose}>
        <div className="stack">
          <p>{t('The receiver needs this secret to check signatures. It is shown only now.')}</p>
          <p className="row">
            <code>{made}</code>
            <CopyButton text={made} />
          </p>
          <div className="row end">
            <Button look="primary" onClick={onClose}>
              {t('Done')}
            </Button>
          </div>
        </div>
      </Dialog>
    )
  const conflict = isConflict(save.error)
  const valid = url.length >= 8 && legal
  return (
    <Dialog title={t('Webhook')} open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate(began?.etag ?? NONE)
        }}
      >
        <TextField
          label={t('Address')}
          value={url}
          onChange={setUrl}
          mono
          autoFocus
          placeholder="https://alerts.example.com/tessera"
          hint={t('Private and loopback addresses need TESSERA_WEBHOOK_PRIVATE=true')}
        />
        <TextField
          label={t('Secret')}
          value={secret}
          onChange={setSecret}
          mono
          hint={began === null ? t('Empty: the server makes one') : t('Empty: it stays as it is')}
          error={legal ? undefined : t('16 to 256 characters without spaces')}
        />
        <Switch label={t('Send notices')} checked={enabled} onChange={setEnabled}>
          {enabled ? t('on') : t('off')}
        </Switch>
        {conflict ? (
          <WebhookConflict
            key={save.submittedAt}
            error={save.error}
            began={began}
            mine={{ url, enabled, secret: secret !== '' }}
            valid={valid}
            onReload={takeStored}
            onOverwrite={(stored) => save.mutate(stored?.etag ?? NONE)}
          />
        ) : (
          <Problem error={save.error} />
        )}
        <div className="row end">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" look="primary" busy={save.isPending} disabled={!valid || conflict}>
            {t('Save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
