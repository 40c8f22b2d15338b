import { useEffect, useRef, useState } from 'react'
import { type Draft, dropDraft, keepDraft, readDraft } from '../../records/drafts'

const QUIET_MS = 400

interface KeptDraft {
  /** what was typed before and not saved; the reader has to decide about it */
  offered: Draft | undefined
  /** whether the browser keeps what is typed now */
  kept: boolean
  /** the reader has decided */
  take: () => void
  /** forgets what has been typed so far, because it is saved or discarded */
  drop: () => void
}

/**
 * Keeps what is typed for a record: at each pause, and when the page is left in any way. `make` makes the draft, which is
 * undefined if nothing is changed; it is another function after each change.
 */
export function useDraft(id: string, user: string, make: () => Draft | undefined): KeptDraft {
  const [offered, setOffered] = useState(() => readDraft(id, user))
  const [kept, setKept] = useState(true)
  const state = useRef<State>({ make, over: undefined, wrote: false })
  const idle = offered !== undefined
  useEffect(() => {
    state.current.make = make
    if (idle) return undefined
    const timer = setTimeout(() => setKept(write(id, state.current)), QUIET_MS)
    return () => clearTimeout(timer)
  }, [id, make, idle])
  useEffect(() => {
    if (idle) return undefined
    const now = state.current
    const flush = (): void => void write(id, now)
    addEventListener('pagehide', flush)
    document.addEventListener('visibilitychange', flush)
    return () => {
      removeEventListener('pagehide', flush)
      document.removeEventListener('visibilitychange', flush)
      flush()
    }
  }, [id, idle])
  return {
    offered,
    kept,
    take: () => setOffered(undefined),
    drop: () => {
      state.current.over = state.current.make
      setOffered(undefined)
      dropDraft(id)
    },
  }
}

interface State {
  make: () => Draft | undefined
  /** the one whose draft is saved or discarded: only what is typed after it is kept */
  over: (() => Draft | undefined) | undefined
  wrote: boolean
}

/** Whether nothing is lost. */
function write(id: string, state: State): boolean {
  if (state.over === state.make) return true
  const draft = state.make()
  if (draft !== undefined) {
    state.wrote = true
    return keepDraft(id, draft)
  }
  // What was typed has been taken back.
  if (state.wrote) dropDraft(id)
  state.wrote = false
  return true
}
