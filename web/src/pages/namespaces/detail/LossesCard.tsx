import type { Namespace } from '../../../api/types'
import { dateTime } from '../../../format'
import { DataTable } from '../../../table/DataTable'
import { Card } from '../../../ui/Card'

/** Data that was gone and was accepted as lost; it stays listed. */
export function LossesCard({ losses }: Pick<Namespace, 'losses'>) {
  if (losses.length === 0) return null
  return (
    <Card title="Accepted losses" aside="to open this namespace with what was left">
      <DataTable
        label="Accepted losses"
        rows={losses}
        keyOf={({ at, code, message }) => `${at} ${code} ${message}`}
        columns={[
          { name: 'accepted', sort: ({ at }) => at, cell: ({ at }) => dateTime(Date.parse(at)) },
          { name: 'code', cell: ({ code }) => <code>{code}</code> },
          { name: 'what was lost', cell: ({ message }) => message },
        ]}
      />
    </Card>
  )
}
