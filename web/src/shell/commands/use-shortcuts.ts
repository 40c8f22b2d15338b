import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { mayDo } from '../../api/may'
import { meQuery } from '../../api/queries'
import { printPage } from '../../charts/paper'
import { navItems } from '../nav/nav-items'
import { mayOpen } from '../page-needs'
import { takeKeys } from './early-keys'
import { openOverlay } from './overlays'
import { isForControl, opensPalette } from './palette-keys'
import { isFieldAwaited, typeAhead } from './typed-ahead'

const SEQUENCE_MS = 1200

const isPrint = ({ ctrlKey, metaKey, shiftKey, altKey, key }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && !shiftKey && !altKey && key.toLowerCase() === 'p'

/** Global keys: Ctrl/Cmd-K or "/", Ctrl/Cmd-P, "?", and "g" followed by a page's letter. Nothing happens while text
 * is typed. Those that were pressed before the console ran come first. */
export function useShortcuts(): void {
  const navigate = useNavigate()
  const queries = useQueryClient()
  useEffect(() => {
    let goUntil = 0
    const onKeyDown = (event: KeyboardEvent): void => {
      if (typeAhead(event)) return
      if (opensPalette(event)) {
        event.preventDefault()
        openOverlay('palette')
        return
      }
      // Only charts need time before they are printed.
      if (isPrint(event) && document.querySelector('canvas.chart') !== null) {
        event.preventDefault()
        void printPage()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isForControl(event)) return
      if (event.key === '?') openOverlay('shortcuts')
      const page = navItems.flatMap(({ items }) => [...items]).find(({ key }) => key === event.key)
      if (event.timeStamp < goUntil && page !== undefined) {
        goUntil = 0
        const me = queries.getQueryData(meQuery().queryKey)
        if (mayOpen((operation, place) => mayDo(me, operation, place), page.to)) void navigate({ to: page.to })
      } else goUntil = event.key === 'g' ? event.timeStamp + SEQUENCE_MS : 0
    }
    document.addEventListener('keydown', onKeyDown)
    for (const event of takeKeys()) onKeyDown(event)
    if (isFieldAwaited()) openOverlay('palette')
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [navigate, queries])
}
