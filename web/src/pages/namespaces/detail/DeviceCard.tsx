import type { Namespace } from '../../../api/types'
import { bytes, count, share } from '../../../format'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'

/** Disk use of a device namespace, and damaged reads. */
export function DeviceCard({ device }: { device: NonNullable<Namespace['device']> }) {
  const { capacityBytes } = device
  const used = capacityBytes > 0 ? device.bytes / capacityBytes : undefined
  const of = capacityBytes > 0 ? bytes(capacityBytes) : 'the size of the disk'
  return (
    <Card title="Device" aside={`${bytes(device.bytes)} of ${of}`}>
      <div className="stack-small">
        {used !== undefined && (
          <div className="bars" role="img" aria-label={`${share(used)} of the capacity used`}>
            <i style={{ width: `${used * 100}%`, background: 'var(--fill-accent)' }} />
          </div>
        )}
        <dl className="facts">
          <dt>live</dt>
          <dd>
            {bytes(device.liveBytes)} ({share(device.bytes === 0 ? 1 : device.liveBytes / device.bytes)} of what is
            written)
          </dd>
          <dt>written</dt>
          <dd>{bytes(device.bytesWritten)}</dd>
          <dt>read</dt>
          <dd>{bytes(device.bytesRead)}</dd>
          <dt>damaged reads</dt>
          <dd className={device.damagedReads > 0 ? 'bad' : undefined}>{count(device.damagedReads)}</dd>
        </dl>
        <DataTable
          label="Files and block devices"
          rows={device.devices}
          keyOf={({ path }) => path}
          columns={[
            { name: 'path', cell: ({ path }) => <code>{path}</code> },
            { name: 'kind', cell: ({ kind, access }) => `${kind}, ${access}` },
            { name: 'used', right: true, cell: ({ usedBytes }) => bytes(usedBytes) },
            {
              name: 'of',
              right: true,
              cell: (each) => (each.capacityBytes > 0 ? bytes(each.capacityBytes) : 'no limit'),
            },
          ]}
        />
      </div>
    </Card>
  )
}
