import { memo, type ComponentProps } from 'react'
import type { ColumnDef } from './column'

interface Props<Row> extends ComponentProps<'tr'> {
  columns: readonly ColumnDef<Row>[]
  row: Row
}

function AnyRow<Row>({ columns, row, ...rest }: Props<Row>) {
  return (
    <tr {...rest}>
      {columns.map((column, index) => (
        <td key={index} className={column.actions === true ? 'actions' : column.right === true ? 'right' : undefined}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}

/** Renders again only for another row or other columns. */
export const TableRow = memo(AnyRow) as typeof AnyRow
