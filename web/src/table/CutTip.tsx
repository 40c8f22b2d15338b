import { useCallback, useEffect, useRef, useState } from 'react'
import { TipPopup } from '../ui/TipPopup'

/** How long the pointer rests on a cell before its text is shown, ms. */
const REST_MS = 400

/** A cell whose text is cut off, and what it says. */
interface Cut {
  cell: HTMLElement
  text: string
}

/** One tip for all cells of a table: a cell costs nothing until something points at it. */
export interface CutTipHandlers {
  onMouseOver: (event: { target: EventTarget }) => void
  onMouseLeave: () => void
  onFocus: (event: { target: EventTarget }) => void
  onBlur: () => void
  onScroll: () => void
}

const isCut = (cell: HTMLElement): boolean =>
  cell.querySelector('[data-tip]') === null &&
  [cell, ...cell.querySelectorAll<HTMLElement>('.cell, .link')].some(
    (part) => part.scrollWidth > part.clientWidth && part.clientWidth > 0,
  )

/**
 * Shows text that is cut off in a table: of the cell under the pointer, and of the one that the keyboard leads to. In a
 * row that has the focus, the arrows stop at cells that are cut off (`rowKeys`).
 */
export function useCutTip(): { cut: Cut | undefined; handlers: CutTipHandlers; hide: () => void } {
  const [cut, setCut] = useState<Cut>()
  const waits = useRef<ReturnType<typeof setTimeout>>(undefined)
  const hide = useCallback(() => {
    clearTimeout(waits.current)
    setCut(undefined)
  }, [])
  useEffect(() => hide, [hide])
  const show = (cell: HTMLElement): void => setCut({ cell, text: cell.textContent })
  const onMouseOver = ({ target }: { target: EventTarget }): void => {
    const cell = target instanceof Element ? target.closest<HTMLElement>('td') : null
    if (cell !== null && cell === cut?.cell) return
    hide()
    if (cell !== null && isCut(cell)) waits.current = setTimeout(() => show(cell), REST_MS)
  }
  const onFocus = ({ target }: { target: EventTarget }): void => {
    hide()
    if (!(target instanceof HTMLElement)) return
    if (target.matches('tbody > tr')) markStops(target)
    else if (target.matches('td') && isCut(target)) show(target)
  }
  return { cut, hide, handlers: { onMouseOver, onMouseLeave: hide, onFocus, onBlur: hide, onScroll: hide } }
}

/** Cells that the arrows lead to. A row that is drawn anew keeps none that has become wide enough. */
function markStops(row: HTMLElement): void {
  for (const cell of row.querySelectorAll<HTMLElement>(':scope > td')) {
    if (isCut(cell)) {
      cell.tabIndex = -1
      cell.dataset['cut'] = ''
    } else if (cell.dataset['cut'] !== undefined) {
      cell.removeAttribute('tabindex')
      delete cell.dataset['cut']
    }
  }
}

export function CutTip({ cut, onClose }: { cut: Cut | undefined; onClose: () => void }) {
  if (cut === undefined) return null
  return (
    <TipPopup anchor={cut.cell} sideOffset={2} side="bottom" align="start" onClose={onClose}>
      {cut.text}
    </TipPopup>
  )
}
