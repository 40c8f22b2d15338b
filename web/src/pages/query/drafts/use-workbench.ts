import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { usePageShown } from '../../../components/use-page-shown'
import { inPlace } from '../../../search'
import { activeOf, addressOf, arrive, sameAddress, type Workbench } from './drafts'
import type { QuerySearch } from '../search'
import { isKept, keepPlace, onWorkbench, openWorkbench, updateWorkbench, workbench } from './draft-store'

const QUIET_MS = 300

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The workbench wrote this address itself, so it opens nothing, however late the page sees it. */
    workbench?: boolean
  }
}

/**
 * The open queries: stored in this browser and in sync with its other windows. The shown one is in
 * sync with the address.
 */
export function useWorkbench(): {
  bench: Workbench
  update: typeof updateWorkbench
  /** whether the browser stores it */
  kept: boolean
} {
  const search = useSearch({ from: '/query' })
  const navigate = useNavigate({ from: '/query' })
  const shown = usePageShown('/query')
  const isOwn = useLocation({ select: ({ state }) => state.workbench === true })
  const [opened] = useState(() => openWorkbench(search, isOwn))
  const bench = useSyncExternalStore(onWorkbench, workbench)
  const kept = useSyncExternalStore(onWorkbench, isKept)
  /** the addresses that this page wrote from the last one on that it saw: a slow page sees them late */
  const written = useRef<readonly QuerySearch[]>([opened])
  const seen = useRef(opened)

  useLayoutEffect(() => {
    if (sameAddress(search, seen.current)) return
    seen.current = search
    const at = written.current.findLastIndex((own) => sameAddress(own, search))
    if (at >= 0) written.current = written.current.slice(at)
    else if (!isOwn) updateWorkbench((now) => arrive(now, search))
  }, [search, isOwn])

  useEffect(() => keepPlace(bench.active, [search, ...written.current]), [bench.active, search])

  const { ns, request, saved } = addressOf(activeOf(bench))
  useEffect(() => {
    const wanted = { ns, request, saved }
    if (sameAddress(wanted, search)) return
    // Debounce input.
    const timer = setTimeout(() => {
      if (!shown()) return
      written.current = [...written.current, wanted]
      // The browser has the new address before this page sees it.
      keepPlace(bench.active, [search, ...written.current])
      void navigate({ search: wanted, state: { workbench: true }, ...inPlace })
    }, QUIET_MS)
    return () => clearTimeout(timer)
  }, [ns, request, saved, bench.active, search, navigate, shown])

  return { bench, update: updateWorkbench, kept }
}
