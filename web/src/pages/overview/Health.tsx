import type { Status } from '../../api/types'
import { count, duration, plural } from '../../format'
import { Skeleton } from '../../ui/Skeleton'

/** One sentence that says whether all is well, with the reasons when it is not. */
export function Health({ status }: { status: Status | undefined }) {
  if (status === undefined)
    return (
      <section className="card health">
        <Skeleton lines={1} height={20} />
      </section>
    )
  const tone = status.healthy ? (status.recovering ? 'warn' : 'good') : 'bad'
  return (
    <section className={`card health ${tone}`} aria-label="Health">
      <span className="dot" aria-hidden="true" />
      <div>
        <strong>{status.health}</strong>
        {status.reasons.length > 0 && (
          <ul className="reasons">
            {status.reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        )}
      </div>
      <span className="mute num end">
        {plural(status.records, 'record')} · {count(status.namespaces)} namespace{status.namespaces === 1 ? '' : 's'} ·
        up {duration(status.uptimeSeconds)} · Tessera {status.version}
      </span>
    </section>
  )
}
