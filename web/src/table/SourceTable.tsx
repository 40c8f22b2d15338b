import { useDeferredValue, useSyncExternalStore, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { type ColumnDef, leavingOf, named } from './column'
import { useColumnChoice } from './column-choice'
import { ColumnMenu } from './ColumnMenu'
import type { Marks } from './marks'
import type { MenuPlace } from './menu-place'
import type { RowSource } from './row-source'
import type { Sort } from './sort'
import { TableView, useFrame } from './TableView'
import { useFitting } from './use-fitting'
import { useTableModel } from './use-table-model'

interface Props<Row> {
  label: string
  columns: readonly ColumnDef<Row>[]
  source: RowSource<Row>
  /** the columns that the reader chooses are kept under this name; unset: they cannot be chosen */
  list?: string
  /** where the page has room for the menu of columns; unset: above the table */
  menuPlace?: MenuPlace
  marks?: Marks<Row>
  /** the column that orders the rows, if the source does so */
  sort?: Sort | undefined
  onSort?: (sort: Sort) => void
  /** as high as the page has room for */
  tall?: boolean
  /** in place of rows, if there are none */
  nothing?: ReactNode
  /** floats above the last rows */
  children?: ReactNode
}

const NONE: readonly never[] = []

/** A table over rows that are not all there, in the order of their source. Only rows in view are drawn. */
export function SourceTable<Row>({
  label,
  columns,
  source,
  list,
  menuPlace,
  marks,
  tall = false,
  nothing,
  children,
  ...order
}: Props<Row>) {
  const { sort, onSort = ignore } = order
  const { frame, setFrame, widthOf } = useFrame()
  const [choice, setChoice] = useColumnChoice(list)
  const out = useFitting(frame, leavingOf(named(columns), choice).length)
  const { shown, all } = useTableModel({
    columns,
    rows: NONE,
    sort: undefined,
    choice,
    out,
    marks: marks !== undefined,
    version: 0,
  })
  const menu = list !== undefined && (
    <ColumnMenu
      label={label}
      columns={all}
      shown={shown.map(({ id }) => id)}
      choice={choice}
      onChoice={setChoice}
      widthOf={widthOf}
    />
  )
  return (
    <div className="table-place">
      {menuPlace !== undefined && <InPlace place={menuPlace}>{menu}</InPlace>}
      {menuPlace === undefined && menu && <div className="table-bar">{menu}</div>}
      {/* Before the table for the keyboard: behind it, all rows would be on the way. */}
      {children}
      <TableView
        label={label}
        columns={shown}
        source={source}
        sort={sort}
        onSort={onSort}
        choice={choice}
        onChoice={list === undefined ? undefined : setChoice}
        marks={marks}
        long
        tall={tall}
        frame={frame}
        onFrame={setFrame}
        nothing={nothing}
      />
    </div>
  )
}

function InPlace({ place, children }: { place: MenuPlace; children: ReactNode }) {
  // In a task of its own: the place comes with the first drawing of the page.
  const element = useDeferredValue(useSyncExternalStore(place.subscribe, place.element))
  return element && createPortal(children, element)
}

const ignore = (): void => undefined
