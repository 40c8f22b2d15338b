import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import { type TreeLine, treeLines } from './tree'
import { t } from '../../language/text'

const ROW = 24

/** Records as a tree. Only open nodes are parsed, only visible ones are drawn, and numbers keep every digit. */
export function RecordTree({ rows }: { rows: readonly string[] }) {
  const prefix = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(['0']))
  const [active, setActive] = useState('0')
  const lines = useMemo(() => treeLines(rows, open), [rows, open])
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
  })
  const at = Math.max(
    0,
    lines.findIndex(({ id }) => id === active),
  )
  const go = (index: number): void => {
    const line = lines[Math.max(0, Math.min(lines.length - 1, index))]
    if (line === undefined) return
    setActive(line.id)
    virtual.scrollToIndex(lines.indexOf(line))
  }
  const toggle = (line: TreeLine | undefined, wanted: boolean): void => {
    if (line?.open === undefined) return
    const next = new Set(open)
    if (wanted) next.add(line.id)
    else next.delete(line.id)
    setOpen(next)
  }
  const line = lines[at]
  const press = (event: KeyboardEvent): void => {
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(lines.length - 1),
      ArrowRight: () => (line?.open === true ? go(at + 1) : toggle(line, true)),
      ArrowLeft: () =>
        line?.open === true ? toggle(line, false) : go(lines.findIndex(({ id }) => id === line?.parent)),
      Enter: () => toggle(line, line?.open !== true),
      ' ': () => toggle(line, line?.open !== true),
    }
    const act = keys[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  return (
    <div
      ref={scroller}
      className="tree"
      role="tree"
      aria-label={t('Records as a tree')}
      tabIndex={0}
      aria-activedescendant={`${prefix}${line?.id ?? ''}`}
      onKeyDown={press}
    >
      <div role="none" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map((item) => {
          const shown = lines[item.index]
          return (
            shown !== undefined && (
              <div
                key={shown.id}
                id={`${prefix}${shown.id}`}
                role="treeitem"
                tabIndex={-1}
                className={shown.id === line?.id ? 'tree-line active' : 'tree-line'}
                aria-level={shown.level}
                aria-posinset={shown.place}
                aria-setsize={shown.places}
                aria-selected={shown.id === line?.id}
                {...(shown.open !== undefined && { 'aria-expanded': shown.open })}
                style={{
                  height: ROW,
                  transform: `translateY(${item.start}px)`,
                  paddingLeft: 8 + (shown.level - 1) * 16,
                }}
                onClick={() => {
                  setActive(shown.id)
                  toggle(shown, shown.open !== true)
                }}
              >
                <i aria-hidden="true">{shown.open === undefined ? '' : shown.open ? '▾' : '▸'}</i>
                <b>{shown.name}</b>
                <span className={shown.kind}>{shown.text}</span>
              </div>
            )
          )
        })}
      </div>
    </div>
  )
}
