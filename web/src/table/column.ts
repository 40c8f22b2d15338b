import type { ReactNode } from 'react'

export interface ColumnDef<Row> {
  name: string
  cell: (row: Row) => ReactNode
  /** sort key of the column; unset: not sortable */
  sort?: (row: Row) => number | string
  right?: boolean
  actions?: boolean
}
