import { useCallback } from 'react'
import type { MenuPlace } from './menu-place'

/** The room for the menu of columns, which the table fills. */
export function ColumnsPlace({ place, className = 'columns-place' }: { place: MenuPlace; className?: string }) {
  const take = useCallback((element: HTMLElement | null) => place.take(element), [place])
  return <div ref={take} className={className} />
}
