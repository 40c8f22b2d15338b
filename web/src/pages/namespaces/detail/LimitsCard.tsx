import type { Namespace } from '../../../api/types'
import { bytes, count, share } from '../../../format'
import { Card } from '../../../ui/Card'

/** How close a namespace is to its limits, with evicted and expired records. */
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
      aside={capacityBytes === undefined ? 'no limit' : `${bytes(usedBytes)} of ${bytes(capacityBytes)} used`}
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
              <dt title="All memory namespaces without their own limit share this memory.">memory is full</dt>
              <dd>
                at {bytes(sharedLimitBytes)}, shared; {bytes(sharedUsedBytes ?? 0)} used
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
