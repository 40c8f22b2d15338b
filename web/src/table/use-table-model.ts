import {
  columnOrderingFeature,
  columnPinningFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useMemo } from 'react'
import { type ColumnDef, leavingOf, named, type ShownColumn } from './column'
import type { ColumnChoice } from './column-choice'
import type { Sort } from './sort'

const features = tableFeatures({
  columnOrderingFeature,
  columnPinningFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
})

/** A row is an object for the library, and may be anything for a table. */
interface Held<Row> {
  row: Row
  version: number
}

/** Room of the box that marks a row, pixels. */
export const MARK_WIDTH = 36

interface Asked<Row> {
  columns: readonly ColumnDef<Row>[]
  rows: readonly Row[]
  sort: Sort | undefined
  choice: ColumnChoice
  /** how many columns have no room */
  out: number
  /** whether a box before the columns marks a row */
  marks: boolean
  /** another one if sort keys changed though no row did */
  version: number
}

export interface TableModel<Row> {
  /** the columns that are drawn, from left to right */
  shown: readonly ShownColumn<Row>[]
  /** the columns that the reader can choose, as they would stand if all were shown */
  all: readonly { id: string; def: ColumnDef<Row> }[]
  sorted: readonly Row[]
}

/** Which columns are drawn, in which order, and the sorted rows. */
export function useTableModel<Row>({ columns, rows, sort, choice, out, marks, version }: Asked<Row>): TableModel<Row> {
  const own = useMemo(() => named(columns), [columns])
  const leaving = useMemo(() => leavingOf(own, choice), [own, choice])
  const defs = useMemo(
    () =>
      own.map(({ id, def }) => ({
        id,
        accessorFn: ({ row }: Held<Row>) => def.sort?.(row),
        sortFn: (a: { original: Held<Row> }, b: { original: Held<Row> }) =>
          def.sort === undefined ? 0 : compare(def.sort(a.original.row), def.sort(b.original.row)),
      })),
    [own],
  )
  const data = useMemo(() => rows.map((row) => ({ row, version })), [rows, version])
  const layout = useMemo(() => {
    const gone = new Set(leaving.slice(0, out))
    // What acts on a row stays at its edge.
    const acts = own.filter(({ def }) => def.actions === true).map(({ id }) => id)
    const lead = own[0]?.def.actions === true ? [own[0].id] : []
    const order = [...lead, ...choice.order.filter((id) => !acts.includes(id))]
    return {
      columnOrder:
        choice.order.length === 0 ? [] : [...order, ...own.map(({ id }) => id).filter((id) => !order.includes(id))],
      columnPinning: { start: choice.pinned.filter((id) => own.some((column) => column.id === id)), end: [] },
      columnSizing: { ...choice.widths },
      columnVisibility: Object.fromEntries(
        own.map(({ id, def }) => [id, choice.shown[id] ?? (def.off !== true && !gone.has(id))]),
      ),
    }
  }, [own, leaving, out, choice])
  const sorting = useMemo(() => (sort === undefined ? [] : [{ id: sort.name, desc: sort.down }]), [sort])
  const state = useMemo(() => ({ ...layout, sorting }), [layout, sorting])
  const table = useTable({ features, columns: defs, data, state, enableSortingRemoval: false })
  const byId = new Map(own.map((column) => [column.id, column.def]))
  let left = marks ? MARK_WIDTH : 0
  const shown: ShownColumn<Row>[] = []
  for (const column of [...table.getStartVisibleLeafColumns(), ...table.getCenterVisibleLeafColumns()]) {
    const def = byId.get(column.id)
    if (def === undefined) continue
    const width = choice.widths[column.id] ?? def.width
    const pinned = column.getIsPinned() === 'start' && width !== undefined
    const grows = def.grows === true && choice.widths[column.id] === undefined && !pinned
    shown.push({
      id: column.id,
      def,
      ...(width !== undefined && { width }),
      ...(grows && { grows }),
      ...(pinned && { left }),
    })
    if (pinned) left += width
  }
  const all = [...table.getStartLeafColumns(), ...table.getCenterLeafColumns()].flatMap(({ id }) => {
    const def = byId.get(id)
    return def === undefined || def.actions === true ? [] : [{ id, def }]
  })
  return { shown, all, sorted: table.getSortedRowModel().rows.map(({ original }) => original.row) }
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a).localeCompare(String(b))
}
