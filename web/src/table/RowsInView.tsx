import { defaultRangeExtractor, elementScroll, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { useDeferredValue, useEffect, useState, type ReactNode } from 'react'
import type { ShownColumn } from './column'
import type { Marks } from './marks'
import type { RowSource } from './row-source'
import { CURRENT, TableRow } from './TableRow'

/** Height of a row, pixels; longer content is cut off. */
const ROW = 32
const HIGH = { height: ROW }
/** Rows that are drawn at once. The others come in pieces, between which the browser takes input. */
const FIRST = 8
/** More rows come so many at a time, so that a row more or less in view draws nothing twice. */
const STEP = 8
/** What is in view until the frame was laid out. */
const AT_FIRST = { width: 0, height: FIRST * ROW }

interface Props<Row> {
  /** the scroll container */
  frame: HTMLElement | null
  columns: readonly ShownColumn<Row>[]
  source: RowSource<Row>
  marks?: Marks<Row> | undefined
  /** key of the row that the page is about */
  current?: string | undefined
}

/** Renders the rows in or near the view, and the focused row with its neighbours, each in place. */
export function RowsInView<Row>({ frame, columns, source, marks, current }: Props<Row>) {
  const [focused, setFocused] = useState<{ key: string; index: number }>()
  const held = focused === undefined ? -1 : source.indexOf(focused.key, focused.index)
  const virtual = useVirtualizer({
    count: source.count,
    getScrollElement: () => frame,
    estimateSize: () => ROW,
    overscan: 8,
    initialRect: AT_FIRST,
    observeElementRect: observeRect,
    scrollToFn: scrollTo,
    rangeExtractor: (range) => {
      // Without the neighbours, Tab would jump elsewhere after the focused row was scrolled out of view.
      const kept = held === -1 ? [] : [held - 1, held, held + 1].filter((index) => index >= 0 && index < source.count)
      return [...new Set([...defaultRangeExtractor(range), ...kept])].toSorted((a, b) => a - b)
    },
  })
  const items = virtual.getVirtualItems()
  const most = useDeferredValue(Math.ceil(items.length / STEP) * STEP, FIRST)
  const { startIndex = 0, endIndex = 0 } = virtual.range ?? {}
  const { onView } = source
  useEffect(() => onView?.(startIndex, endIndex), [onView, startIndex, endIndex])
  const drawn: ReactNode[] = []
  let end = 0
  const leaveOut = (until: number): void => {
    if (until > end) drawn.push(<tr key={`until ${until}`} aria-hidden="true" style={{ height: until - end }} />)
  }
  for (const { index, start, end: below } of held === -1 ? items.slice(0, most) : items) {
    const row = source.at(index)
    leaveOut(start)
    end = below
    // The header is row 1.
    const place = { style: HIGH, 'aria-rowindex': index + 2 }
    if (row === undefined) {
      drawn.push(
        <tr key={`at ${index}`} {...place} aria-busy="true" className="coming">
          <td colSpan={columns.length + (marks === undefined ? 0 : 1)}>
            <i />
          </td>
        </tr>,
      )
      continue
    }
    const key = source.keyOf(row, index)
    drawn.push(
      <TableRow
        key={key}
        columns={columns}
        row={row}
        {...place}
        {...(key === current && CURRENT)}
        {...(marks !== undefined && {
          marked: marks.has(key),
          onMark: marks.toggle,
          markName: marks.nameOf,
          canMark: marks.can,
        })}
      />,
    )
  }
  leaveOut(virtual.getTotalSize())
  return (
    <tbody
      onFocus={({ target }) => {
        const index = Number(target.closest('tr')?.getAttribute('aria-rowindex')) - 2
        const row = source.at(index)
        if (row !== undefined) setFocused({ key: source.keyOf(row, index), index })
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setFocused(undefined)
      }}
    >
      {drawn}
    </tbody>
  )
}

/**
 * Tells the size of the frame when the browser has laid it out. Whoever asks for it at once, as the library does, makes the
 * browser lay out the whole page in the middle of a drawing.
 */
function observeRect(
  virtual: Virtualizer<HTMLElement, Element>,
  tell: (rect: { width: number; height: number }) => void,
): (() => void) | undefined {
  const { scrollElement } = virtual
  if (scrollElement === null) return undefined
  const observer = new ResizeObserver(([entry]) => {
    if (entry === undefined) return
    const { width, height } = entry.contentRect
    tell({ width: Math.round(width), height: Math.round(height) })
    // It was scrolled before somebody listened.
    if (scrollElement.scrollTop !== virtual.scrollOffset) scrollElement.dispatchEvent(new Event('scroll'))
  })
  observer.observe(scrollElement)
  return () => observer.disconnect()
}

/** A frame that begins at its first row is there already. */
const scrollTo: typeof elementScroll = (offset, options, virtual) => {
  if (offset !== 0 || virtual.scrollOffset !== 0) elementScroll(offset, options, virtual)
}
