import { useState, type ReactNode } from 'react'
import { Icon } from '../ui/Icon'
import { ScrollTable } from './ScrollTable'

export interface ColumnDef<Row> {
  name: string
  cell: (row: Row) => ReactNode
  /** what the column sorts by; absent = not sortable */
  sort?: (row: Row) => number | string
  right?: boolean
  actions?: boolean
}

interface Props<Row> {
  label: string
  columns: readonly ColumnDef<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** name of the column that orders the rows at first; descending */
  order?: string
}

/** A table that sorts by any column with a sort key; wide ones scroll inside, never the page. */
export function DataTable<Row>({ label, columns, rows, keyOf, order }: Props<Row>) {
  const [sort, setSort] = useState<{ name: string; down: boolean } | undefined>(
    order === undefined ? undefined : { name: order, down: true },
  )
  const by = columns.find((column) => column.name === sort?.name)?.sort
  const sorted =
    by === undefined ? rows : rows.toSorted((a, b) => compare(by(a), by(b)) * (sort?.down === true ? -1 : 1))
  return (
    <ScrollTable label={label}>
      <thead>
        <tr>
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
        {sorted.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column, index) => (
              <td
                key={index}
                className={column.actions === true ? 'actions' : column.right === true ? 'right' : undefined}
              >
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  )
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a).localeCompare(String(b))
}
