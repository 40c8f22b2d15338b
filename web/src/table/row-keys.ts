import type { KeyboardEvent } from 'react'

/** The rows of a table that are drawn. */
const rowsOf = (frame: HTMLElement): HTMLElement[] => [
  ...frame.querySelectorAll<HTMLElement>('tbody > tr:not([aria-hidden])'),
]

/**
 * The keys of a table: arrows go from row to row, Enter opens the row by its first link or button, and Space marks it. A
 * control in a row keeps its own keys.
 */
export function rowKeys(event: KeyboardEvent<HTMLElement>): void {
  const { currentTarget: frame, target, key } = event
  if (!(target instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const row = target.closest<HTMLElement>('tbody > tr')
  if (key === 'ArrowDown' || key === 'ArrowUp') {
    if (target !== frame && !target.matches('tbody > tr, tbody a, tbody .link')) return
    const rows = rowsOf(frame)
    const at = row === null ? -1 : rows.indexOf(row)
    const next = row === null ? firstInView(frame, rows) : rows[at + (key === 'ArrowDown' ? 1 : -1)]
    if (next === undefined) return
    event.preventDefault()
    next.focus()
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

function firstInView(frame: HTMLElement, rows: readonly HTMLElement[]): HTMLElement | undefined {
  const top = frame.querySelector('thead')?.getBoundingClientRect().bottom ?? 0
  return rows.find((row) => row.getBoundingClientRect().bottom > top) ?? rows[0]
}

/** Text that is cut off shows in full under the pointer, and in the row that has the focus. */
export function showCutText({ target }: { target: EventTarget }): void {
  if (!(target instanceof Element)) return
  const cell = target.closest<HTMLElement>('td')
  for (const one of cell === null ? target.querySelectorAll<HTMLElement>(':scope > td') : [cell]) {
    if ((one.title !== '' && one.dataset['cut'] === undefined) || one.querySelector('[title]') !== null) continue
    const parts = [one, ...one.querySelectorAll<HTMLElement>('.cell, .link')]
    const cut = parts.some((part) => part.scrollWidth > part.clientWidth && part.clientWidth > 0)
    if (cut) one.dataset['cut'] = ''
    if (cut || one.dataset['cut'] !== undefined) one.title = cut ? one.textContent : ''
  }
}
