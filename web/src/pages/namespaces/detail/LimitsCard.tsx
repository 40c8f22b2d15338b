import type { Namespace } from '../../../api/types'
import { bytes, count, share } from '../../../format'
import { Card } from '../../../ui/Card'

/** How near a namespace is to its limits, and what eviction and expiry have taken. */
export function LimitsCard({ namespace }: { namespace: Namespace }) {
  const { limits, config } = namespace
  if (limits === undefined) return null
  const { usedBytes, capacityBytes, sharedLimitBytes, sharedUsedBytes, evictedRecords, expiredRecords } = limits
  const { stopWritesPercent = 0, evictAtPercent = 0 } = config
  const used = capacityBytes === undefined ? undefined : usedBytes / capacityBytes
  const fill = limits.writesStopped ? 'var(--fill-bad)' : 'var(--fill-accent)'
  return (
    <Card
      title="Limits"
      aside={capacityBytes === undefined ? 'no limit is set' : `${bytes(usedBytes)} of ${bytes(capacityBytes)} used`}
    >
      <div className="stack-small">
        {used !== undefined && (
          <div className="bars" role="img" aria-label={`${share(used)} of the limit used`}>
            <i style={{ width: `${Math.min(used, 1) * 100}%`, background: fill }} />
          </div>
        )}
        <dl className="facts">
          <dt>writes stop</dt>
          <dd>{capacityBytes === undefined ? 'never' : `at ${stopWritesPercent}%`}</dd>
          {sharedLimitBytes !== undefined && (
            <>
              <dt title="all memory namespaces without a limit of their own, together">memory is full</dt>
              <dd>
                at {bytes(sharedLimitBytes)} of all without a limit; they hold {bytes(sharedUsedBytes ?? 0)}
              </dd>
            </>
          )}
          <dt>eviction</dt>
          <dd>{capacityBytes === undefined || evictAtPercent === 0 ? 'off' : `at ${evictAtPercent}%`}</dd>
          <dt>evicted</dt>
          <dd>{count(evictedRecords)}</dd>
          <dt>expired</dt>
          <dd>{count(expiredRecords)}</dd>
        </dl>
      </div>
    </Card>
  )
}
