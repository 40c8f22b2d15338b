import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { readAlertWebhook } from '../../api/queries'
import type { AlertWebhook } from '../../api/types'
import { dateTime } from '../../format'
import { Button } from '../../ui/Button'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { t } from '../../language/text'

export type StoredWebhook = Omit<AlertWebhook, 'waiting'> & { etag: string }

interface Props {
  error: unknown
  /** what the form began from; null: none was set */
  began: StoredWebhook | null
  mine: { url: string; enabled: boolean; secret: boolean }
  /** whether `mine` can be sent */
  valid: boolean
  onReload: (stored: StoredWebhook | null) => void
  onOverwrite: (stored: StoredWebhook | null) => void
}

/** A lost race for the webhook: shows what somebody else changed, beside the form's own, and lets the user choose. */
export function WebhookConflict({ error, began, mine, valid, onReload, onOverwrite }: Props) {
  const read = useQuery({ queryKey: ['conflict', 'webhook'], queryFn: readAlertWebhook, staleTime: 0, gcTime: 0 })
  const stored = read.isFetching ? undefined : read.data
  return (
    <div className="stack">
      <Problem error={error} />
      {read.error !== null && <Problem error={read.error} onRetry={() => void read.refetch()} />}
      <div className="grid-2">
        <section className="stack-small" aria-label={t('Your version')}>
          <h3>{t('Your version')}</h3>
          <Facts
            address={mine.url}
            notices={mine.enabled}
            secret={mine.secret ? t('a new one') : t('stays as it is')}
          />
        </section>
        <section className="stack-small" aria-label={t('Stored version')}>
          <h3>{t('Stored version')}</h3>
          {stored === undefined && read.error === null && <Skeleton lines={3} />}
          {stored === null && <p>{t('Somebody deleted the webhook.')}</p>}
          {stored !== undefined && stored !== null && (
            <>
              <Facts
                address={stored.url}
                notices={stored.enabled}
                secret={t('set {secretSetAt}', { secretSetAt: dateTime(Date.parse(stored.secretSetAt)) })}
                before={began}
                secretChanged={stored.secretSetAt !== began?.secretSetAt}
              />
              <p className="mute small">
                {t('Changed {updatedAt} by {who}', {
                  updatedAt: dateTime(Date.parse(stored.updatedAt)),
                  who: stored.who,
                })}
              </p>
            </>
          )}
        </section>
      </div>
      <div className="row end">
        <Button disabled={stored === undefined} onClick={() => stored !== undefined && onReload(stored)}>
          {t('Reload the stored version')}
        </Button>
        <Button
          look="danger"
          disabled={!valid || stored === undefined}
          onClick={() => stored !== undefined && onOverwrite(stored)}
        >
          {t('Overwrite with your version')}
        </Button>
      </div>
    </div>
  )
}

interface FactsProps {
  address: string
  notices: boolean
  secret: string
  /** unset: nothing is marked as changed */
  before?: StoredWebhook | null
  secretChanged?: boolean
}

function Facts({ address, notices, secret, before, secretChanged = false }: FactsProps) {
  const rows = [
    { name: t('Address'), text: address, changed: before !== undefined && before?.url !== address },
    {
      name: t('Notices'),
      text: notices ? t('on') : t('off'),
      changed: before !== undefined && before?.enabled !== notices,
    },
    { name: t('Secret'), text: secret, changed: secretChanged },
  ]
  return (
    <dl className="facts">
      {rows.map(({ name, text, changed }) => (
        <Fragment key={name}>
          <dt>
            {name} {changed && <span className="badge warn">{t('changed')}</span>}
          </dt>
          <dd>{text}</dd>
        </Fragment>
      ))}
    </dl>
  )
}
