import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { removeAlertWebhook } from '../../api/actions'
import { alertWebhookQuery } from '../../api/queries'
import { useMay } from '../../api/use-may'
import { RoleNeeded } from '../../components/access/RoleNeeded'
import { dateTime } from '../../format'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Confirm } from '../../ui/Confirm'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { toast } from '../../ui/toast'
import type { StoredWebhook } from './WebhookConflict'
import { WebhookDialog } from './WebhookDialog'
import { t } from '../../language/text'

interface Props {
  /** unset: not known yet */
  isSet: boolean | undefined
}

const about = { title: t('Webhook'), aside: t('gets a signed POST when an alert fires or ends') }
const none = <p className="mute">{t('No webhook is set. Alerts are shown here only.')}</p>

/** Where notices go. Its address may be a secret, so others learn only whether there is one. */
export function WebhookCard({ isSet }: Props) {
  if (useMay()('getAlertWebhook')) return <KnownWebhook isSet={isSet} />
  return (
    <Card {...about}>
      {isSet === undefined && <Skeleton lines={1} />}
      {isSet === true && <p>{t('A webhook is set.')}</p>}
      {isSet === false && none}
      <RoleNeeded what={t('Seeing and changing it')} operation="setAlertWebhook" />
    </Card>
  )
}

function KnownWebhook({ isSet }: Props) {
  const { data: found, error, refetch } = useQuery(alertWebhookQuery(isSet === true))
  const data = isSet === false ? null : isSet === true ? found : undefined
  /** What the dialog began from, however the webhook changes meanwhile; null: none was set, unset: it is closed. */
  const [edited, setEdited] = useState<StoredWebhook | null>()
  const [removing, setRemoving] = useState(false)
  return (
    <Card
      {...about}
      end={
        data !== undefined && (
          <div className="row">
            <Button small onClick={() => setEdited(data)}>
              {data === null ? t('Set…') : t('Change…')}
            </Button>
            {data !== null && (
              <Button small look="danger" aria-label={t('Delete the webhook')} onClick={() => setRemoving(true)}>
                {t('Delete…')}
              </Button>
            )}
          </div>
        )
      }
    >
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={1} />}
      {data === null && none}
      {data !== undefined && data !== null && (
        <p>
          <code>{data.url}</code>{' '}
          <span className={`badge ${data.enabled ? 'good' : ''}`}>{data.enabled ? t('on') : t('off')}</span>{' '}
          <span className="mute">
            {t('secret set {secretSetAt}', { secretSetAt: dateTime(Date.parse(data.secretSetAt)) })}
            {data.waiting > 0 &&
              ` · ${t('{waiting, plural, one {# notice} other {# notices}} waiting', { waiting: data.waiting })}`}
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
      toast(t('Deleted the webhook'))
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  })
  return (
    <Confirm
      title={t('Delete the webhook')}
      action={t('Delete webhook')}
      busy={remove.isPending}
      open
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>{t('This also deletes its secret and drops waiting notices.')}</p>
      <Problem error={remove.error} />
    </Confirm>
  )
}
