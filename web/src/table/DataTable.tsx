import { useEffect, useMemo, useReducer, useState } from 'react'
import { type ColumnDef, leavingOf, named } from './column'
import { type ColumnChoice, NO_CHOICE, useColumnChoice } from './column-choice'
import { ColumnMenu } from './ColumnMenu'
import type { Marks } from './marks'
import { NothingFound } from './NothingFound'
import { foundRows } from './row-text'
import { sourceOf } from './row-source'
import type { Sort } from './sort'
import { useTableAddress } from './table-address'
import { TableBar } from './TableBar'
import { TableView, useFrame } from './TableView'
import { useFitting } from './use-fitting'
import { useTableModel } from './use-table-model'
import { t } from '../language/text'

interface Props<Row> {
  label: string
  columns: readonly ColumnDef<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** name of the column that orders the rows at first; descending */
  order?: string
  /** for thousands of rows: the table scrolls inside a frame, and only rows in view are drawn */
  long?: boolean
  /** whether that frame is as high as the page has room for */
  tall?: boolean
  marks?: Marks<Row>
  /** key of the row that the page is about: it is shown and marked */
  current?: string | undefined
}

interface ListProps<Row> extends Props<Row> {
  /** a list has a search, and columns to choose, which are kept under this name */
  list: string
  /** one row, in a word */
  noun?: (rows: number) => string
  /** before the names of its parameters in the address, on a page with several lists */
  prefix?: string
}

/**
 * A table that sorts by any column with a sort key. With `list` it also has a search, whose text is in the address, and
 * columns that the reader chooses. A wide table scrolls inside its frame, never the page.
 */
export function DataTable<Row>(props: Props<Row> | ListProps<Row>) {
  return 'list' in props ? <List {...props} /> : <Plain {...props} />
}

function Plain<Row>({ order, ...props }: Props<Row>) {
  const [sort, setSort] = useState<Sort | undefined>(order === undefined ? undefined : { name: order, down: true })
  const { rows } = props
  return <Body {...props} found={rows} sort={sort} onSort={setSort} choice={NO_CHOICE} />
}

const rowsOf = (n: number): string => t('{n, plural, one {# row} other {# rows}}', { n })

function List<Row>({ list, noun = rowsOf, prefix = '', order, ...props }: ListProps<Row>) {
  const { columns, rows } = props
  const { asked, sort, ask, order: setOrder } = useTableAddress(prefix)
  const [choice, setChoice] = useColumnChoice(list)
  const found = useMemo(() => foundRows(columns, rows, asked), [columns, rows, asked])
  const first = useMemo(() => (order === undefined ? undefined : { name: order, down: true }), [order])
  return (
    <Body
      {...props}
      found={found}
      sort={sort ?? first}
      onSort={setOrder}
      choice={choice}
      onChoice={setChoice}
      search={{ noun, asked, ask }}
    />
  )
}

interface BodyProps<Row> extends Omit<Props<Row>, 'order'> {
  /** the rows that the search has found */
  found: readonly Row[]
  sort: Sort | undefined
  onSort: (sort: Sort) => void
  choice: ColumnChoice
  onChoice?: (next: ColumnChoice) => void
  search?: { noun: (rows: number) => string; asked: string; ask: (text: string) => void }
}

function Body<Row>({
  label,
  columns,
  rows,
  found,
  keyOf,
  long = false,
  tall = false,
  marks,
  search,
  current,
  ...chosen
}: BodyProps<Row>) {
  const { sort, onSort, choice, onChoice } = chosen
  const { frame, setFrame, widthOf } = useFrame()
  const { subscribe } = columns.find(({ name }) => name === sort?.name) ?? {}
  const [version, orderAgain] = useReducer((times: number) => times + 1, 0)
  useEffect(() => subscribe?.(orderAgain), [subscribe])
  const out = useFitting(frame, leavingOf(named(columns), choice).length)
  const { shown, all, sorted } = useTableModel({
    columns,
    rows: found,
    sort,
    choice,
    out,
    marks: marks !== undefined,
    version,
  })
  const source = sourceOf(sorted, keyOf)
  return (
    <>
      {search !== undefined && onChoice !== undefined && (
        <TableBar
          label={label}
          noun={search.noun}
          asked={search.asked}
          onAsk={search.ask}
          found={found.length}
          total={rows.length}
          end={
            <ColumnMenu
              label={label}
              columns={all}
              shown={shown.map(({ id }) => id)}
              choice={choice}
              onChoice={onChoice}
              widthOf={widthOf}
            />
          }
        />
      )}
      <TableView
        label={label}
        columns={shown}
        source={source}
        sort={sort}
        onSort={onSort}
        choice={choice}
        onChoice={onChoice}
        marks={marks}
        current={current}
        long={long}
        tall={tall}
        frame={frame}
        onFrame={setFrame}
        nothing={search && <NothingFound asked={search.asked} onClear={() => search.ask('')} />}
      />
    </>
  )
}
