import type { Namespace } from '../../../api/types'
import { bytes, count, share } from '../../../format'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'
import { t, tIn } from '../../../language/text'

const diskKinds = { file: tIn('kind of disk', 'file'), device: t('device') } as const
const diskAccess = { direct: tIn('access to a disk', 'direct'), cached: t('cached') } as const

/** Disk use of a device namespace, and damaged reads. */
export function DeviceCard({ device }: { device: NonNullable<Namespace['device']> }) {
  const { capacityBytes } = device
  const used = capacityBytes > 0 ? device.bytes / capacityBytes : undefined
  const of = capacityBytes > 0 ? bytes(capacityBytes) : t('the size of the disk')
  return (
    <Card title={t('Device')} aside={t('{bytes} of {of}', { bytes: bytes(device.bytes), of })}>
      <div className="stack-small">
        {used !== undefined && (
          <div className="bars" role="img" aria-label={t('{used} of the capacity used', { used: share(used) })}>
            <i style={{ width: `${used * 100}%`, background: 'var(--fill-accent)' }} />
          </div>
        )}
        <dl className="facts">
          <dt>{t('live')}</dt>
          <dd>
            {t('{liveBytes} ({bytes} of what is written)', {
              liveBytes: bytes(device.liveBytes),
              bytes: share(device.bytes === 0 ? 1 : device.liveBytes / device.bytes),
            })}
          </dd>
          <dt>{t('written')}</dt>
          <dd>{bytes(device.bytesWritten)}</dd>
          <dt>{t('read')}</dt>
          <dd>{bytes(device.bytesRead)}</dd>
          <dt>{t('damaged reads')}</dt>
          <dd className={device.damagedReads > 0 ? 'bad' : undefined}>{count(device.damagedReads)}</dd>
        </dl>
        <DataTable
          label={t('Files and block devices')}
          rows={device.devices}
          keyOf={({ path }) => path}
          columns={[
            { name: 'path', label: t('path'), cell: ({ path }) => <code>{path}</code> },
            { name: 'kind', label: t('kind'), cell: ({ kind, access }) => `${diskKinds[kind]}, ${diskAccess[access]}` },
            { name: 'used', label: t('used'), right: true, cell: ({ usedBytes }) => bytes(usedBytes) },
            {
              name: 'of',
              label: t('of'),
              right: true,
              cell: (each) => (each.capacityBytes > 0 ? bytes(each.capacityBytes) : t('no limit')),
            },
          ]}
        />
      </div>
    </Card>
  )
}
