import type { LabReport } from '../../api/types'
import { DataTable } from '../../table/DataTable'
import { serverText } from '../../language/server-text'
import { cellText } from './cells'

interface Props {
  label: string
  columns: readonly { key: string; label: string }[]
  rows: LabReport['rows']
}

/** Rows of figures, published or measured. */
export function RowsTable({ label, columns, rows }: Props) {
  const words = (key: string): boolean => rows.some((row) => typeof row[key] === 'string')
  return (
    <DataTable
      label={label}
      columns={columns.map(({ key, label: name }) => ({
        name: serverText(name),
        cell: (row: Props['rows'][number]) => cellText(key, row[key]),
        right: !words(key),
      }))}
      rows={rows}
      keyOf={(row) => columns.map(({ key }) => row[key]).join()}
    />
  )
}
