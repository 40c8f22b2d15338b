import type { DeviceReport, DiskReport } from '../../../api/types'
import { bytes, latency, shortCount } from '../../../format'
import type { ColumnDef } from '../../../table/column'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'
import { t } from '../../../language/text'

type Operations = DiskReport['reads']

/** Every disk since the namespace was opened, side by side. */
export function DiskTable({ report }: { report: DeviceReport }) {
  return (
    <Card title={t('Disks')} aside={t('since the namespace was opened')} flush>
      <DataTable label={t('Disks')} rows={report.disks} keyOf={({ path }) => path} columns={columns} />
    </Card>
  )
}

function operations(name: string, label: string, of: (disk: DiskReport) => Operations) {
  return [
    {
      name,
      label,
      right: true,
      sort: (disk: DiskReport) => of(disk).bytes,
      cell: (disk: DiskReport) =>
        t('{bytes} in {count}', { bytes: bytes(of(disk).bytes), count: shortCount(of(disk).count) }),
    },
    latencies(of),
  ]
}

function latencies(of: (disk: DiskReport) => Operations) {
  return { name: 'p50 · p99', label: t('p50 · p99'), right: true, cell: (disk: DiskReport) => quantiles(of(disk)) }
}

function quantiles({ medianMs, p99Ms }: Operations): string {
  return medianMs === undefined || p99Ms === undefined ? '–' : `${latency(medianMs * 1e6)} · ${latency(p99Ms * 1e6)}`
}

const columns: readonly ColumnDef<DiskReport>[] = [
  { name: 'path', label: t('path'), cell: ({ path }) => <code>{path}</code>, sort: ({ path }) => path },
  {
    name: 'used',
    label: t('used'),
    right: true,
    sort: ({ usedBytes }) => usedBytes,
    cell: ({ usedBytes, capacityBytes }) =>
      capacityBytes > 0
        ? t('{usedBytes} of {capacityBytes}', { usedBytes: bytes(usedBytes), capacityBytes: bytes(capacityBytes) })
        : bytes(usedBytes),
  },
  ...operations('read', t('read'), ({ reads }) => reads),
  ...operations('written', t('written'), ({ writes }) => writes),
  {
    name: 'syncs',
    label: t('syncs'),
    right: true,
    sort: ({ syncs }: DiskReport) => syncs.count,
    cell: ({ syncs }: DiskReport) => shortCount(syncs.count),
  },
  latencies(({ syncs }) => syncs),
]
