import type { ComponentProps } from 'react'
import type { ColumnDef } from './column'

interface Props<Row> extends ComponentProps<'tr'> {
  columns: readonly ColumnDef<Row>[]
  row: Row
}

export function TableRow<Row>({ columns, row, ...rest }: Props<Row>) {
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
