import { useNavigate, useSearch } from '@tanstack/react-router'
import { inPlace } from '../search'
import { isWindowName, windows, type WindowName } from './window'

/** What the address of every page keeps of its range. */
export interface RangeSearch {
  window?: WindowName | undefined
}

const FIRST: WindowName = '5m'

export const readRangeSearch = ({ window }: Record<string, unknown>): RangeSearch =>
  isWindowName(window) ? { window } : {}

/** The range that the reader chose, on whichever page; unset: none yet. */
export const useChosenRange = (): WindowName | undefined => useSearch({ strict: false, select: ({ window }) => window })

/** The range of all pages: span, width of a column, and words. */
export function useRange() {
  const name = useChosenRange() ?? FIRST
  return { name, ...windows[name] }
}

/** Writes another range into the address. All links of the page carry it on (`routes.tsx`). */
export function useChooseRange(): (window: WindowName) => void {
  const navigate = useNavigate()
  return (window) => void navigate({ to: '.', search: (old) => ({ ...old, window }), ...inPlace })
}
