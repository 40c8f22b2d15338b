import { useEffect, useReducer, useState } from 'react'
import { Icon } from '../ui/Icon'
import type { ColumnDef } from './column'
import { RowsInView } from './RowsInView'
import { ScrollTable } from './ScrollTable'
import { TableRow } from './TableRow'

interface Props<Row> {
  label: string
  columns: readonly ColumnDef<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** name of the column that orders the rows at first; descending */
  order?: string
  /** for thousands of rows: the table scrolls inside a frame, and only rows in view are drawn */
  long?: boolean
}

/** A table that sorts by any column with a sort key. A wide table scrolls inside its frame, never the page. */
export function DataTable<Row>({ label, columns, rows, keyOf, order, long = false }: Props<Row>) {
  const [sort, setSort] = useState<{ name: string; down: boolean } | undefined>(
    order === undefined ? undefined : { name: order, down: true },
  )
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  const { sort: by, subscribe } = columns.find((column) => column.name === sort?.name) ?? {}
  const [, orderAgain] = useReducer((times: number) => times + 1, 0)
  useEffect(() => subscribe?.(orderAgain), [subscribe])
  const sorted =
    by === undefined ? rows : rows.toSorted((a, b) => compare(by(a), by(b)) * (sort?.down === true ? -1 : 1))
  return (
    <ScrollTable label={label} {...(long && { ref: setFrame, lines: sorted.length + 1 })}>
      <thead>
        <tr aria-rowindex={long ? 1 : undefined}>
          {columns.map((column, index) => {
            const current = sort?.name === column.name
            return (
              <th
                key={index}
                scope="col"
                className={column.right === true ? 'right' : undefined}
                aria-sort={current ? (sort.down ? 'descending' : 'ascending') : undefined}
              >
                {column.actions === true ? (
                  <span className="visually-hidden">{column.name}</span>
                ) : column.sort === undefined ? (
                  column.name
                ) : (
                  <button
                    type="button"
                    onClick={() => setSort({ name: column.name, down: current ? !sort.down : true })}
                  >
                    {column.name}
                    {current && <Icon name={sort.down ? 'down' : 'up'} />}
                  </button>
                )}
              </th>
            )
          })}
        </tr>
      </thead>
      <tbody>
        {long ? (
          <RowsInView frame={frame} columns={columns} rows={sorted} keyOf={keyOf} />
        ) : (
          sorted.map((row) => <TableRow key={keyOf(row)} columns={columns} row={row} />)
        )}
      </tbody>
    </ScrollTable>
  )
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a).localeCompare(String(b))
}
