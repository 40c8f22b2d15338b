import { Link } from '@tanstack/react-router'
import type { AlertPage, Status } from '../../api/types'
import { alertHeadline, healthReasons } from '../../components/alerts/alert-words'
import { GatewayNotices } from '../../components/namespaces/GatewayNotices'
import { NamespaceNotices } from '../../components/namespaces/NamespaceNotices'
import { duration } from '../../format'
import { useConnection } from '../../live/use-connection'
import { Skeleton } from '../../ui/Skeleton'
import { t } from '../../language/text'
import { serverText } from '../../language/server-text'

interface Props {
  status: Status | undefined
  /** null: they could not be read */
  alerts: AlertPage | null | undefined
}

/** Nothing is called healthy before the rules say so. */
function headline(
  { healthy, recovering, reasons, dataDirectoryFailure }: Status,
  alerts: AlertPage | null,
  lost: boolean,
): string {
  if (lost) return t('The gateway does not answer. This is its last answer')
  if (dataDirectoryFailure !== undefined) return t('The data directory refuses writes')
  if (!healthy)
    return t('{namespaces, plural, one {# namespace needs attention} other {# namespaces need attention}}', {
      namespaces: reasons.length,
    })
  if (alerts !== null && alerts.health.reasons.length > 0) return alertHeadline(alerts)
  if (recovering) return t('Recovering')
  return alerts === null ? t('The alerts cannot be read') : alertHeadline(alerts)
}

function toneOf(status: Status, alerts: AlertPage | null, lost: boolean): 'good' | 'warn' | 'bad' {
  if (!status.healthy || lost || alerts?.health.tone === 'bad') return 'bad'
  const calm = status.recovering || status.notices.length > 0 || status.gatewayNotices.length > 0
  return calm || alerts?.health.tone !== 'good' ? 'warn' : 'good'
}

/** The health in one sentence, with links to the problems. */
export function Health({ status, alerts }: Props) {
  const lost = useConnection().state === 'lost'
  if (status === undefined || alerts === undefined)
    return (
      <section className="card health">
        <Skeleton lines={1} height={20} />
      </section>
    )
  const title = headline(status, alerts, lost)
  const reasons = (alerts === null ? [] : healthReasons(alerts.health)).filter((reason) => reason !== title)
  return (
    <section className={`card health ${toneOf(status, alerts, lost)}`} aria-label={t('Health')}>
      <span className="dot" aria-hidden="true" />
      <div>
        <strong>{title}</strong>
        {status.dataDirectoryFailure !== undefined && (
          <ul className="notices">
            <li>{serverText(status.dataDirectoryFailure.message)}</li>
          </ul>
        )}
        {reasons.length > 0 && (
          <ul className="notices">
            {reasons.map((reason) => (
              <li key={reason}>
                <Link to="/alerts">{reason}</Link>
              </li>
            ))}
          </ul>
        )}
        <NamespaceNotices notices={status.notices} />
        <GatewayNotices notices={status.gatewayNotices} />
      </div>
      <span className="mute num end">
        {t(
          '{records, plural, one {# record} other {# records}} · {namespaces, plural, one {# namespace} other {# namespaces}} · up {uptimeSeconds} · Tessera {version}',
          {
            records: status.records,
            namespaces: status.namespaces,
            uptimeSeconds: duration(status.uptimeSeconds),
            version: status.version,
          },
        )}
      </span>
    </section>
  )
}
