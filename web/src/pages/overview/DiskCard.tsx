import type { Status } from '../../api/types'
import { bytes, rate, share } from '../../format'
import type { Feed } from '../../live/feed'
import { useFeedValue } from '../../live/use-feed'
import { Card } from '../../ui/Card'
import { Skeleton } from '../../ui/Skeleton'
import { t } from '../../language/text'
import { serverText } from '../../language/server-text'

/** The disk of the data directory: free space and traffic. */
export function DiskCard({ status, live }: { status: Status | undefined; live: Feed }) {
  const device = useFeedValue(live, ({ buffer }) => buffer.newest()?.device)
  if (status === undefined)
    return (
      <Card title={t('Disk')}>
        <Skeleton lines={3} />
      </Card>
    )
  const used = status.diskTotalBytes === 0 ? 0 : 1 - status.diskFreeBytes / status.diskTotalBytes
  return (
    <Card
      title={t('Disk')}
      aside={t('{diskFreeBytes} free of {diskTotalBytes}', {
        diskFreeBytes: bytes(status.diskFreeBytes),
        diskTotalBytes: bytes(status.diskTotalBytes),
      })}
    >
      <div className="stack-small">
        <div className="bars" role="img" aria-label={t('{used} of the disk used', { used: share(used) })}>
          <i style={{ width: `${used * 100}%`, background: used > 0.9 ? 'var(--fill-bad)' : 'var(--fill-accent)' }} />
        </div>
        <dl className="facts">
          <dt>{t('read')}</dt>
          <dd>
            {device === undefined ? '–' : `${bytes(device.readBytesPerSecond)}/s · ${rate(device.readsPerSecond)}`}
          </dd>
          <dt>{t('written')}</dt>
          <dd>
            {device === undefined ? '–' : `${bytes(device.writeBytesPerSecond)}/s · ${rate(device.writesPerSecond)}`}
          </dd>
          <dt>{t('syncs')}</dt>
          <dd>{device === undefined ? '–' : rate(device.syncsPerSecond)}</dd>
          <dt>{t('I/O by')}</dt>
          <dd>
            {status.io.backend}
            {' ('}
            {serverText(status.io.reason)})
          </dd>
          <dt>{t('directory')}</dt>
          <dd>{status.dataDirectory}</dd>
        </dl>
      </div>
    </Card>
  )
}
