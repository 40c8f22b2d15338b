import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { activeOf, addressOf, adopt, arrive, sameAddress, type Workbench } from './drafts'
import { DRAFTS, isKept, keepWorkbench, keptDrafts, loadWorkbench, onKept } from './draft-store'

const QUIET_MS = 300

type Change = (change: (bench: Workbench) => Workbench) => void

/** The open queries: kept in this browser, in step with its other windows, and the one that is shown with the address. */
export function useWorkbench(): {
  bench: Workbench
  update: Change
  /** whether the browser keeps it */
  kept: boolean
} {
  const search = useSearch({ from: '/query' })
  const navigate = useNavigate({ from: '/query' })
  const [bench, setBench] = useState(() => loadWorkbench(search))
  /** what this page wrote into the address, and what stood there when it was last looked at */
  const [written, setWritten] = useState(search)
  const [seen, setSeen] = useState(search)
  const kept = useSyncExternalStore(onKept, isKept)

  if (!sameAddress(search, seen)) {
    setSeen(search)
    if (!sameAddress(search, written)) setBench(arrive(bench, search))
  }

  useEffect(() => keepWorkbench(bench, search), [bench, search])

  const { ns, request, saved } = addressOf(activeOf(bench))
  useEffect(() => {
    const wanted = { ns, request, saved }
    if (sameAddress(wanted, search)) return
    // Once no letter has come for a moment.
    const timer = setTimeout(() => {
      setWritten(wanted)
      void navigate({ search: wanted, replace: true })
    }, QUIET_MS)
    return () => clearTimeout(timer)
  }, [ns, request, saved, search, navigate])

  useEffect(() => {
    const follow = ({ key }: StorageEvent): void => {
      // What is there now, not what the event says: it may be older than what this window wrote since.
      const stored = key === DRAFTS ? keptDrafts() : undefined
      if (stored !== undefined) setBench((own) => adopt(own, stored))
    }
    addEventListener('storage', follow)
    return () => removeEventListener('storage', follow)
  }, [])

  return { bench, update: setBench, kept }
}
