import type { Namespace } from '../../../api/types'
import { bytes, count, share } from '../../../format'
import { Card } from '../../../ui/Card'
import { t } from '../../../language/text'
import { Tip } from '../../../ui/Tip'

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
      title={t('Limits')}
      aside={
        capacityBytes === undefined
          ? t('no limit')
          : t('{usedBytes} of {capacityBytes} used', {
              usedBytes: bytes(usedBytes),
              capacityBytes: bytes(capacityBytes),
            })
      }
    >
      <div className="stack-small">
        {used !== undefined && (
          <div className="bars" role="img" aria-label={t('{used} of the limit used', { used: share(used) })}>
            <i style={{ width: `${Math.min(used, 1) * 100}%`, background: fill }} />
          </div>
        )}
        <dl className="facts">
          <dt>{t('writes stop')}</dt>
          <dd>{capacityBytes === undefined ? t('never') : t('at {stopWritesPercent}%', { stopWritesPercent })}</dd>
          {sharedLimitBytes !== undefined && (
            <>
              <dt>
                <Tip text={t('All memory namespaces without their own limit share this memory.')}>
                  <span>{t('memory is full')}</span>
                </Tip>
              </dt>
              <dd>
                {t('at {sharedLimitBytes}, shared; {sharedUsedBytes} used', {
                  sharedLimitBytes: bytes(sharedLimitBytes),
                  sharedUsedBytes: bytes(sharedUsedBytes ?? 0),
                })}
              </dd>
            </>
          )}
          <dt>{t('eviction')}</dt>
          <dd>
            {capacityBytes === undefined || evictAtPercent === 0
              ? t('off')
              : t('at {evictAtPercent}%', { evictAtPercent })}
          </dd>
          <dt>{t('evicted')}</dt>
          <dd>{count(evictedRecords)}</dd>
          <dt>{t('expired')}</dt>
          <dd>{count(expiredRecords)}</dd>
        </dl>
      </div>
    </Card>
  )
}
