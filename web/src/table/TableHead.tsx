import type { PointerEvent, ReactNode } from 'react'
import { Icon } from '../ui/Icon'
import { Tip } from '../ui/Tip'
import type { ColumnDef, ShownColumn } from './column'
import type { Marks } from './marks'
import type { Sort } from './sort'
import { classOf, placeOf } from './TableRow'
import { t } from '../language/text'

interface Props<Row> {
  columns: readonly ShownColumn<Row>[]
  sort: Sort | undefined
  onSort: (name: string) => void
  /** unset: widths cannot be changed */
  onWidth?: ((id: string, width: number) => void) | undefined
  marks?: Marks<Row> | undefined
  /** whether rows are numbered for screen readers, because not all are drawn */
  numbered: boolean
}

/** The head row: names that sort, and edges that can be dragged. */
export function TableHead<Row>({ columns, sort, onSort, onWidth, marks, numbered }: Props<Row>) {
  return (
    <thead>
      <tr aria-rowindex={numbered ? 1 : undefined}>
        {marks !== undefined && <MarkAll marks={marks} pinned={columns[0]?.left !== undefined} />}
        {columns.map(({ id, def, width, grows, left }) => {
          const current = sort?.name === id
          return (
            <th
              key={id}
              scope="col"
              data-column={id}
              className={classOf({ ...(def.right !== undefined && { right: def.right }) }, left)}
              style={placeOf(numbered && grows === true ? undefined : width, left)}
              aria-sort={current ? (sort.down ? 'descending' : 'ascending') : undefined}
            >
              <Name id={id} def={def} down={current ? sort.down : undefined} onSort={onSort} />
              {def.head !== undefined && <span className="kind">{def.head}</span>}
              {onWidth !== undefined && def.actions !== true && (
                <span className="edge" aria-hidden="true" onPointerDown={(event) => drag(event, id, onWidth)} />
              )}
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

interface NameProps<Row> {
  id: string
  def: ColumnDef<Row>
  /** the direction, if it orders the rows */
  down: boolean | undefined
  onSort: (name: string) => void
}

function Name<Row>({ id, def, down, onSort }: NameProps<Row>): ReactNode {
  const { actions, sort, orders, unordered } = def
  const name = def.label ?? def.name
  if (actions === true) return <span className="visually-hidden">{name}</span>
  if (unordered !== undefined)
    return (
      <Tip text={unordered}>
        <button type="button" aria-disabled="true">
          {name}
        </button>
      </Tip>
    )
  if (sort === undefined && orders === undefined) return name
  const button = (
    <button type="button" onClick={() => onSort(id)}>
      {name}
      {down !== undefined && <Icon name={down ? 'down' : 'up'} />}
    </button>
  )
  return orders === undefined ? button : <Tip text={orders.cost}>{button}</Tip>
}

function MarkAll<Row>({ marks: { state, toggleAll }, pinned }: { marks: Marks<Row>; pinned: boolean }) {
  return (
    <th scope="col" className={pinned ? 'mark pinned' : 'mark'}>
      <input
        type="checkbox"
        aria-label={t('Select all rows that are loaded')}
        checked={state === 'all'}
        ref={(box) => {
          if (box !== null) box.indeterminate = state === 'some'
        }}
        onChange={toggleAll}
      />
    </th>
  )
}

/** Follows the pointer until it is released. The menu of columns does the same by keyboard. */
function drag(event: PointerEvent<HTMLElement>, id: string, onWidth: (id: string, width: number) => void): void {
  const edge = event.currentTarget
  const begun = event.clientX
  const width = edge.closest('th')?.getBoundingClientRect().width ?? 0
  const move = ({ clientX }: globalThis.PointerEvent): void => onWidth(id, width + clientX - begun)
  const end = new AbortController()
  edge.setPointerCapture(event.pointerId)
  edge.addEventListener('pointermove', move, { signal: end.signal })
  for (const last of ['pointerup', 'pointercancel'] as const)
    edge.addEventListener(last, () => end.abort(), { signal: end.signal })
  event.preventDefault()
}
