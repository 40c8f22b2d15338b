import { startTransition, useCallback, useState, type ReactNode } from 'react'
import type { ShownColumn } from './column'
import { type ColumnChoice, withWidth } from './column-choice'
import type { Marks } from './marks'
import type { RowSource } from './row-source'
import { RowsInView } from './RowsInView'
import { ScrollTable } from './ScrollTable'
import { nextSort, type Sort } from './sort'
import { TableHead } from './TableHead'
import { CURRENT, TableRow } from './TableRow'
import { MARK_WIDTH } from './use-table-model'

interface Props<Row> {
  label: string
  columns: readonly ShownColumn<Row>[]
  source: RowSource<Row>
  sort: Sort | undefined
  onSort: (sort: Sort) => void
  /** unset: the reader chooses nothing */
  onChoice?: ((next: ColumnChoice) => void) | undefined
  choice: ColumnChoice
  marks?: Marks<Row> | undefined
  /** key of the row that the page is about */
  current?: string | undefined
  /** draws only rows in view */
  long: boolean
  /** as high as the page has room for */
  tall?: boolean
  frame: HTMLDivElement | null
  onFrame: (frame: HTMLDivElement | null) => void
  /** in place of rows, if there are none */
  nothing?: ReactNode
}

/** Head and rows of a table, drawn from a source. */
export function TableView<Row>({
  columns,
  source,
  sort,
  onSort,
  choice,
  onChoice,
  marks,
  current,
  long,
  ...rest
}: Props<Row>) {
  const { label, tall = false, frame, onFrame, nothing } = rest
  const widths = columns.flatMap(({ width }) => (width === undefined ? [] : [width]))
  const fixed = long && widths.length === columns.length
  const least = widths.reduce((sum, width) => sum + width, marks === undefined ? 0 : MARK_WIDTH)
  return (
    <ScrollTable
      label={label}
      ref={onFrame}
      tall={tall}
      lines={long ? source.count + 1 : undefined}
      minWidth={fixed ? least : undefined}
    >
      <TableHead
        columns={columns}
        sort={sort}
        onSort={(name) => onSort(nextSort(sort, name))}
        onWidth={onChoice && ((id, width) => onChoice(withWidth(choice, id, width)))}
        marks={marks}
        numbered={long}
      />
      {source.count > 0 && long ? (
        <RowsInView frame={frame} columns={columns} source={source} marks={marks} current={current} />
      ) : (
        <tbody>
          {source.count > 0 || nothing === undefined ? (
            everyRow({ columns, source, marks, current })
          ) : (
            <tr>
              <td colSpan={columns.length + (marks === undefined ? 0 : 1)}>{nothing}</td>
            </tr>
          )}
        </tbody>
      )}
    </ScrollTable>
  )
}

function everyRow<Row>({
  columns,
  source,
  marks,
  current,
}: Pick<Props<Row>, 'columns' | 'source' | 'marks' | 'current'>): ReactNode {
  return Array.from({ length: source.count }, (_, index) => {
    const row = source.at(index)
    if (row === undefined) return null
    const key = source.keyOf(row, index)
    return (
      <TableRow
        key={key}
        columns={columns}
        row={row}
        {...(key === current && CURRENT)}
        {...(marks !== undefined && {
          marked: marks.has(key),
          onMark: marks.toggle,
          markName: marks.nameOf,
          canMark: marks.can,
        })}
      />
    )
  })
}

/** The frame of a table as state and the width of its columns as drawn. */
export function useFrame(): {
  frame: HTMLDivElement | null
  setFrame: (frame: HTMLDivElement | null) => void
  widthOf: (id: string) => number
} {
  const [frame, setState] = useState<HTMLDivElement | null>(null)
  // In a task of its own: a first drawing of the page is long without its rows.
  const setFrame = useCallback((next: HTMLDivElement | null) => startTransition(() => setState(next)), [])
  const widthOf = (id: string): number =>
    frame?.querySelector(`th[data-column="${CSS.escape(id)}"]`)?.getBoundingClientRect().width ?? 0
  return { frame, setFrame, widthOf }
}
