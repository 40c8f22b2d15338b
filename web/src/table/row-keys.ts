import type { KeyboardEvent } from 'react'

/** The rows of a table that are drawn. */
const rowsOf = (frame: HTMLElement): HTMLElement[] => [
  ...frame.querySelectorAll<HTMLElement>('tbody > tr:not([aria-hidden])'),
]

/** Where a key scrolls a table to, by how far it is, the height of a page, and that of all rows. */
type Leap = (top: number, page: number, all: number) => number

const leaps: Readonly<Record<string, Leap>> = {
  Home: () => 0,
  End: (_top, _page, all) => all,
  PageDown: (top, page) => top + page,
  PageUp: (top, page) => top - page,
}

/**
 * The keys of a table: arrows go from row to row, Home, End and the page keys further, also over rows that are not drawn.
 * Left and right go to what a row explains further, and to text that is cut off. Enter opens the row by its first link or button, and Space marks it. Shift+Tab
 * leaves the rows, to what is before the table. A control in a row keeps its own keys.
 */
export function rowKeys(event: KeyboardEvent<HTMLElement>): void {
  const { currentTarget: frame, target, key } = event
  // The browser goes on from the frame.
  if (key === 'Tab' && event.shiftKey && target instanceof HTMLElement && target.matches('tbody > tr'))
    frame.focus({ preventScroll: true })
  if (!(target instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const row = target.closest<HTMLElement>('tbody > tr')
  if (key === 'ArrowDown' || key === 'ArrowUp') {
    if (target !== frame && !target.matches('tbody > tr, tbody a, tbody .link, tbody [data-tip], tbody [data-cut]'))
      return
    const rows = rowsOf(frame)
    const at = row === null ? -1 : rows.indexOf(row)
    const next = row === null ? firstInView(frame, rows) : rows[at + (key === 'ArrowDown' ? 1 : -1)]
    if (next === undefined) return
    event.preventDefault()
    next.focus()
    return
  }
  if (
    (key === 'ArrowRight' || key === 'ArrowLeft') &&
    row !== null &&
    target.matches('tbody > tr, [data-tip], [data-cut]')
  ) {
    const stops = [row, ...row.querySelectorAll<HTMLElement>('[data-tip], [data-cut]')]
    const next = stops[stops.indexOf(target) + (key === 'ArrowRight' ? 1 : -1)]
    if (next === undefined) return
    event.preventDefault()
    next.focus()
    return
  }
  const leap = leaps[key]
  if (leap !== undefined && (target === frame || row !== null) && !target.matches('input, select, textarea')) {
    event.preventDefault()
    leapTo(frame, row, key, leap)
    return
  }
  if (row === null || target !== row) return
  const pressed =
    key === 'Enter'
      ? row.querySelector<HTMLElement>('a[href], button')
      : key === ' '
        ? row.querySelector<HTMLElement>('input[type=checkbox]')
        : null
  if (pressed === null) return
  event.preventDefault()
  pressed.click()
}

/** Waits for rows that are being read. */
let coming: MutationObserver | undefined

/** Scrolls, and gives the focus to the row that then stands there: the first, the last, or the one in the same place. */
function leapTo(frame: HTMLElement, row: HTMLElement | null, key: string, leap: Leap): void {
  coming?.disconnect()
  const head = frame.querySelector('thead')?.getBoundingClientRect().height ?? 0
  const begun = frame.scrollTop
  const place = row?.getBoundingClientRect().top
  frame.scrollTop = leap(begun, frame.clientHeight - head, frame.scrollHeight)
  const atEnd = key === 'End' || (key === 'PageDown' && frame.scrollTop === begun)
  const atTop = key === 'Home' || (key === 'PageUp' && frame.scrollTop === begun)
  const arrive = (): boolean => {
    const rows = readRowsInView(frame)
    const same =
      atTop || place === undefined ? undefined : rows.find((one) => one.getBoundingClientRect().bottom > place)
    const next = atEnd ? rows.at(-1) : (same ?? rows[0])
    next?.focus()
    return next !== undefined
  }
  // The rows of a long table are drawn after it has scrolled, and those that were not read yet come later.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (arrive()) return
      const seen = new MutationObserver(() => {
        if (!frame.contains(document.activeElement) || arrive()) seen.disconnect()
      })
      coming = seen
      seen.observe(frame, { childList: true, subtree: true })
    }),
  )
}

/** Where the rows begin to show. The cells of a head stay in view, the head itself does not. */
const headBottom = (frame: HTMLElement): number => frame.querySelector('thead th')?.getBoundingClientRect().bottom ?? 0

/** Without those that are being read, and those that are drawn elsewhere because they have the focus. */
function readRowsInView(frame: HTMLElement): HTMLElement[] {
  const top = headBottom(frame)
  const { bottom } = frame.getBoundingClientRect()
  return rowsOf(frame).filter((row) => {
    const place = row.getBoundingClientRect()
    return row.ariaBusy !== 'true' && place.bottom > top && place.top < bottom
  })
}

function firstInView(frame: HTMLElement, rows: readonly HTMLElement[]): HTMLElement | undefined {
  const top = headBottom(frame)
  return rows.find((row) => row.getBoundingClientRect().bottom > top) ?? rows[0]
}
