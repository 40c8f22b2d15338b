import type { ReactNode } from 'react'

export interface ColumnDef<Row> {
  name: string
  cell: (row: Row) => ReactNode
  /** sort key of the column; unset: not sortable */
  sort?: (row: Row) => number | string
  /** tells when sort keys change though no row does, as of a cell that is written in place */
  subscribe?: (listener: () => void) => () => void
  right?: boolean
  actions?: boolean
}
