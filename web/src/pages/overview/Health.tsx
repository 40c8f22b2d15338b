import type { Status } from '../../api/types'
import { GatewayNotices } from '../../components/namespaces/GatewayNotices'
import { NamespaceNotices } from '../../components/namespaces/NamespaceNotices'
import { count, duration, plural } from '../../format'
import { useConnection } from '../../live/use-connection'
import { Skeleton } from '../../ui/Skeleton'

function headline({ healthy, recovering, reasons, dataDirectoryFailure }: Status, lost: boolean): string {
  if (lost) return 'The gateway does not answer. This is its last answer'
  if (dataDirectoryFailure !== undefined) return 'The data directory refuses writes'
  if (!healthy) return `${plural(reasons.length, 'namespace')} ${reasons.length === 1 ? 'needs' : 'need'} attention`
  return recovering ? 'Recovering' : 'Healthy'
}

/** The health in one sentence, with links to the problems. */
export function Health({ status }: { status: Status | undefined }) {
  const lost = useConnection().state === 'lost'
  if (status === undefined)
    return (
      <section className="card health">
        <Skeleton lines={1} height={20} />
      </section>
    )
  const calm = status.recovering || status.notices.length > 0 || status.gatewayNotices.length > 0
  const tone = status.healthy && !lost ? (calm ? 'warn' : 'good') : 'bad'
  return (
    <section className={`card health ${tone}`} aria-label="Health">
      <span className="dot" aria-hidden="true" />
      <div>
        <strong>{headline(status, lost)}</strong>
        {status.dataDirectoryFailure !== undefined && (
          <ul className="notices">
            <li>{status.dataDirectoryFailure.message}</li>
          </ul>
        )}
        <NamespaceNotices notices={status.notices} />
        <GatewayNotices notices={status.gatewayNotices} />
      </div>
      <span className="mute num end">
        {plural(status.records, 'record')} · {count(status.namespaces)} namespace{status.namespaces === 1 ? '' : 's'} ·
        up {duration(status.uptimeSeconds)} · Tessera {status.version}
      </span>
    </section>
  )
}
