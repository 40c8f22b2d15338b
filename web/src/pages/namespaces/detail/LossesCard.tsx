import type { Namespace } from '../../../api/types'
import { dateTime } from '../../../format'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'

/** Losses that were accepted to open the namespace. */
export function LossesCard({ losses }: Pick<Namespace, 'losses'>) {
  if (losses.length === 0) return null
  return (
    <Card title="Accepted losses" aside="accepted to open this namespace">
      <DataTable
        label="Accepted losses"
        rows={losses}
        keyOf={({ at, code, message }) => `${at} ${code} ${message}`}
        columns={[
          { name: 'accepted', sort: ({ at }) => at, cell: ({ at }) => dateTime(Date.parse(at)) },
          { name: 'code', cell: ({ code }) => <code>{code}</code> },
          { name: 'lost data', cell: ({ message }) => message },
        ]}
      />
    </Card>
  )
}
