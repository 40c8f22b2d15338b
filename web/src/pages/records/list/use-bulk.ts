import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Bulk, Failure } from './bulk'
import type { Chosen } from './use-selection'

export interface BulkState {
  phase: 'running' | 'done' | 'aborted' | 'failed'
  done: number
  total: number
  failures: readonly Failure[]
  /** what stopped it */
  error?: unknown
}

export interface BulkRun {
  /** undefined before it begins */
  state: BulkState | undefined
  begin: (chosen: readonly Chosen[], work: (bulk: Bulk) => Promise<void>) => void
  abort: () => void
}

/** One change of many records, with its progress. It ends with the page. */
export function useBulk(ns: string, set: string, onEnd: (state: BulkState) => void): BulkRun {
  const queries = useQueryClient()
  const [state, setState] = useState<BulkState>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const abort = useCallback(() => running.current?.abort(), [])
  const begin = (chosen: readonly Chosen[], work: (bulk: Bulk) => Promise<void>): void => {
    const controller = new AbortController()
    running.current = controller
    let now: BulkState = { phase: 'running', done: 0, total: chosen.length, failures: [] }
    const tell = (next: Partial<BulkState>): void => {
      now = { ...now, ...next }
      setState(now)
    }
    const onDone: Bulk['onDone'] = (done, failures) =>
      tell({ done: now.done + done, ...(failures.length > 0 && { failures: [...now.failures, ...failures] }) })
    tell({})
    work({ ns, set, signal: controller.signal, onDone })
      .then(
        () => tell({ phase: controller.signal.aborted ? 'aborted' : 'done' }),
        (error: unknown) => {
          const own = controller.signal.aborted
          // The others stop too.
          controller.abort()
          tell(own ? { phase: 'aborted' } : { phase: 'failed', error })
        },
      )
      .finally(() => {
        void queries.invalidateQueries({ queryKey: ['records'] })
        void queries.invalidateQueries({ queryKey: ['namespaces'] })
        onEnd(now)
      })
  }
  return { state, begin, abort }
}
