import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useState, type ReactNode } from 'react'
import type { ColumnDef } from './column'
import { TableRow } from './TableRow'

/** Height of a row, pixels; longer content is cut off. */
const ROW = 32

interface Props<Row> {
  /** the scroll container */
  frame: HTMLElement | null
  columns: readonly ColumnDef<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
}

/** Renders the rows in or near the view, and the focused row with its neighbours, each in place. */
export function RowsInView<Row>({ frame, columns, rows, keyOf }: Props<Row>) {
  const [focused, setFocused] = useState<string>()
  const held = focused === undefined ? -1 : rows.findIndex((row) => keyOf(row) === focused)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame,
    estimateSize: () => ROW,
    overscan: 12,
    rangeExtractor: (range) => {
      // Without the neighbours, Tab would jump elsewhere after the focused row was scrolled out of view.
      const kept = held === -1 ? [] : [held - 1, held, held + 1].filter((index) => index in rows)
      return [...new Set([...defaultRangeExtractor(range), ...kept])].toSorted((a, b) => a - b)
    },
  })
  const drawn: ReactNode[] = []
  let end = 0
  const leaveOut = (until: number): void => {
    if (until > end) drawn.push(<tr key={`until ${until}`} aria-hidden="true" style={{ height: until - end }} />)
  }
  for (const item of virtual.getVirtualItems()) {
    const row = rows[item.index]
    if (row === undefined) continue
    leaveOut(item.start)
    end = item.end
    const key = keyOf(row)
    drawn.push(
      <TableRow
        key={key}
        columns={columns}
        row={row}
        style={{ height: ROW }}
        // The header is row 1.
        aria-rowindex={item.index + 2}
        onFocus={() => setFocused(key)}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (currentTarget.parentElement?.contains(relatedTarget) !== true) setFocused(undefined)
        }}
      />,
    )
  }
  leaveOut(virtual.getTotalSize())
  return drawn
}
