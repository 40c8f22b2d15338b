import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Bulk, Failure } from './bulk'
import type { Target } from './target'
import type { Chosen } from './use-selection'

/** Failures that a report names; the others are counted. */
const MOST_FAILURES = 10_000

export interface BulkState {
  phase: 'running' | 'done' | 'aborted' | 'failed'
  done: number
  total: number
  failed: number
  /** the first of those that failed */
  failures: readonly Failure[]
  /** what stopped it */
  error?: unknown
}

export interface BulkRun {
  /** undefined before it begins */
  state: BulkState | undefined
  begin: (target: Target, work: (part: readonly Chosen[], bulk: Bulk) => Promise<void>) => void
  abort: () => void
}

/** One change of many records, with its progress. It ends with the page. */
export function useBulk(ns: string, set: string, onEnd: (state: BulkState) => void): BulkRun {
  const queries = useQueryClient()
  const [state, setState] = useState<BulkState>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const abort = useCallback(() => running.current?.abort(), [])
  const begin: BulkRun['begin'] = (target, work) => {
    const controller = new AbortController()
    running.current = controller
    let now: BulkState = { phase: 'running', done: 0, total: target.total, failed: 0, failures: [] }
    const tell = (next: Partial<BulkState>): void => {
      now = { ...now, ...next }
      setState(now)
    }
    const onDone: Bulk['onDone'] = (done, failures) =>
      tell({
        done: now.done + done,
        failed: now.failed + failures.length,
        ...(failures.length > 0 &&
          now.failures.length < MOST_FAILURES && {
            failures: [...now.failures, ...failures].slice(0, MOST_FAILURES),
          }),
      })
    tell({})
    const all = async (): Promise<void> => {
      const bulk = { ns, set, signal: controller.signal, onDone }
      for await (const part of target.parts(controller.signal)) {
        await work(part, bulk)
        if (controller.signal.aborted) return
      }
    }
    all()
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
