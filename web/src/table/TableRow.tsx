import { memo, type ComponentProps, type CSSProperties } from 'react'
import { sameColumns, type ShownColumn } from './column'
import type { Marks } from './marks'
import { InRow } from '../ui/in-row'
import { t } from '../language/text'

interface Props<Row> extends ComponentProps<'tr'> {
  columns: readonly ShownColumn<Row>[]
  row: Row
  /** whether it is marked; unset: rows of this table are not marked */
  marked?: boolean | undefined
  onMark?: Marks<Row>['toggle'] | undefined
  markName?: Marks<Row>['nameOf'] | undefined
  canMark?: Marks<Row>['can'] | undefined
}

/** Of the row that the page is about. It comes into view once. */
export const CURRENT = {
  'aria-current': true,
  ref: (row: HTMLTableRowElement | null) => row?.scrollIntoView?.({ block: 'center' }),
} as const

function AnyRow<Row>({ columns, row, marked, onMark, markName, canMark, ...rest }: Props<Row>) {
  return (
    <InRow value>
      <tr {...rest} tabIndex={-1} aria-selected={marked}>
        {marked !== undefined && (
          <td className={columns[0]?.left === undefined ? 'mark' : 'mark pinned'}>
            <input
              type="checkbox"
              checked={marked}
              disabled={canMark?.(row) === false}
              aria-label={t('Select {row}', { row: markName?.(row) ?? '' })}
              onChange={() => onMark?.(row)}
            />
          </td>
        )}
        {columns.map(({ id, def, width, left }) => (
          <td key={id} className={classOf(def, left)} style={placeOf(width, left)}>
            {def.cell(row)}
          </td>
        ))}
      </tr>
    </InRow>
  )
}

/** Renders again only for another row or other columns. */
export const TableRow = memo(AnyRow, (old, now) => {
  const { columns: before, ...others } = old
  const { columns, ...rest } = now
  const names = Object.keys(rest) as (keyof typeof rest)[]
  return (
    names.length === Object.keys(others).length &&
    names.every((name) => Object.is(others[name], rest[name])) &&
    sameColumns(before, columns)
  )
}) as typeof AnyRow

export function classOf({ actions, right }: { actions?: boolean; right?: boolean }, left?: number): string | undefined {
  const own = actions === true ? 'actions' : right === true ? 'right' : ''
  return `${own} ${left === undefined ? '' : 'pinned'}`.trim() || undefined
}

/** A chosen width holds whatever the cells have. */
export function placeOf(width: number | undefined, left: number | undefined): CSSProperties | undefined {
  return width === undefined
    ? undefined
    : { width, minWidth: width, maxWidth: width, ...(left !== undefined && { left }) }
}
