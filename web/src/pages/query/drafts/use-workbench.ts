import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { usePageShown } from '../../../components/use-page-shown'
import { inPlace } from '../../../search'
import {
  comeTo,
  isKept,
  keepActive,
  nowMs,
  onWorkbench,
  openWorkbench,
  updateWorkbench,
  workbench,
} from './draft-store'
import { activeOf, addressOf, sameAddress, type Workbench } from './drafts'

const QUIET_MS = 300

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** When the workbench wrote this address itself, as in `nowMs`. */
    workbench?: number
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
  const writtenMs = useLocation({ select: ({ state }) => state.workbench ?? 0 })
  const [opened] = useState(() => {
    openWorkbench(search, writtenMs)
    return search
  })
  const bench = useSyncExternalStore(onWorkbench, workbench)
  const kept = useSyncExternalStore(onWorkbench, isKept)
  const seen = useRef(opened)

  useLayoutEffect(() => {
    if (sameAddress(search, seen.current)) return
    seen.current = search
    comeTo(search, writtenMs)
  }, [search, writtenMs])

  useEffect(() => keepActive(bench.active), [bench.active])

  const { ns, request, saved } = addressOf(activeOf(bench))
  useEffect(() => {
    const wanted = { ns, request, saved }
    if (sameAddress(wanted, search)) return
    // Debounce input.
    const timer = setTimeout(() => {
      if (shown()) void navigate({ search: wanted, state: { workbench: nowMs() }, ...inPlace })
    }, QUIET_MS)
    return () => clearTimeout(timer)
  }, [ns, request, saved, search, navigate, shown])

  return { bench, update: updateWorkbench, kept }
}
