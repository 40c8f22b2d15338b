import type { ReactNode } from 'react'
import type { ColumnChoice } from './column-choice'

export interface ColumnDef<Row> {
  /** also in addresses and in what the reader chose */
  name: string
  /** the name as it is shown; unset: `name` itself */
  label?: string
  cell: (row: Row) => ReactNode
  /** sort key of the column; unset: not sortable */
  sort?: (row: Row) => number | string
  /** orders the rows by this, where the source of the rows does so */
  orders?: { by: string; cost: string }
  /** why the source cannot order by it */
  unordered?: string
  /** tells when sort keys change though no row does, as of a cell that is written in place */
  subscribe?: (listener: () => void) => () => void
  /** stands after the name, such as the type of the values */
  head?: ReactNode
  right?: boolean
  actions?: boolean
  /** in a table that is too narrow the column with the highest number leaves first; unset: it stays */
  low?: number
  /** width at first, pixels; unset: as wide as its content */
  width?: number
  /** in a long table: its content is wider, so it takes the room that the others leave */
  grows?: boolean
  /** not shown until the reader chooses it */
  off?: boolean
}

/** A column as it is drawn. */
export interface ShownColumn<Row> {
  id: string
  def: ColumnDef<Row>
  /** pixels; unset: as wide as its content */
  width?: number
  /** it is wider where there is room, because the reader gave it no width */
  grows?: boolean
  /** stays in view at this distance from the left edge, pixels */
  left?: number
}

/** Each column with a name of its own: a table may have two of one name. */
export function named<Row>(columns: readonly ColumnDef<Row>[]): { id: string; def: ColumnDef<Row> }[] {
  const seen = new Map<string, number>()
  return columns.map((def) => {
    const times = (seen.get(def.name) ?? 0) + 1
    seen.set(def.name, times)
    return { id: times === 1 ? def.name : `${def.name} ${times}`, def }
  })
}

/** The columns that leave a table without room, the first one first. What the reader chose stays. */
export function leavingOf<Row>(
  columns: readonly { id: string; def: ColumnDef<Row> }[],
  { shown }: Pick<ColumnChoice, 'shown'>,
): string[] {
  return columns
    .filter(({ id, def }) => def.low !== undefined && def.off !== true && shown[id] === undefined)
    .toSorted((a, b) => (b.def.low ?? 0) - (a.def.low ?? 0))
    .map(({ id }) => id)
}

/** Whether rows look the same in them. */
export const sameColumns = <Row>(a: readonly ShownColumn<Row>[], b: readonly ShownColumn<Row>[]): boolean =>
  a.length === b.length &&
  a.every((one, at) => {
    const other = b[at]
    return (
      one.id === other?.id &&
      one.def === other.def &&
      one.width === other.width &&
      one.grows === other.grows &&
      one.left === other.left
    )
  })
