import { useCallback, useEffect, useRef, useState } from 'react'
import { send } from '../api/http'
import { readLines } from '../api/lines'
import { ApiProblem, streamBroken } from '../api/problem'

/** Rows of a stream that a page keeps; the rest is only counted. */
export const KEPT_ROWS = 5000
const REDRAW_MS = 150

export interface StreamState {
  phase: 'idle' | 'running' | 'done' | 'stopped' | 'failed'
  /** the namespace of the rows */
  ns: string
  /** the request, JSON text */
  body: string
  rows: readonly string[]
  count: number
  bytes: number
  jobId: string | undefined
  elapsedMs: number
  error: unknown
}

const idle: StreamState = {
  phase: 'idle',
  ns: '',
  body: '',
  rows: [],
  count: 0,
  bytes: 0,
  jobId: undefined,
  elapsedMs: 0,
  error: undefined,
}

/** Runs a scan or query and keeps its first rows. Leaving the page, or `stop`, also ends the work in the engine. */
export function useRecordStream(): {
  state: StreamState
  start: (ns: string, path: string, body: string) => void
  stop: () => void
} {
  const [state, setState] = useState(idle)
  const controller = useRef<AbortController | undefined>(undefined)

  const stop = useCallback(() => controller.current?.abort(), [])
  useEffect(() => stop, [stop])

  const start = useCallback((ns: string, path: string, body: string) => {
    controller.current?.abort()
    const own = new AbortController()
    controller.current = own
    const startedAt = performance.now()
    const now: StreamState = { ...idle, phase: 'running', ns, body }
    const rows: string[] = []
    let drawnAt = 0
    const draw = (part: Partial<StreamState>, force = false): void => {
      Object.assign(now, part, { elapsedMs: performance.now() - startedAt })
      if (controller.current !== own || (!force && performance.now() - drawnAt < REDRAW_MS)) return
      drawnAt = performance.now()
      setState({ ...now, rows: rows.slice() })
    }
    const run = async (): Promise<void> => {
      draw({}, true)
      try {
        const headers = { 'Content-Type': 'application/json', Accept: 'application/x-ndjson' }
        const response = await send('POST', path, { headers, body, signal: own.signal })
        draw({ jobId: response.headers.get('x-job-id') ?? undefined }, true)
        if (response.body !== null) {
          await readLines(response.body, KEPT_ROWS, {
            onLines: (lines) => void rows.push(...lines),
            onCount: (count, bytes) => draw({ count, bytes }),
          })
        }
        draw({ phase: 'done' }, true)
      } catch (error) {
        const problem = error instanceof ApiProblem ? error : streamBroken()
        draw(own.signal.aborted ? { phase: 'stopped' } : { phase: 'failed', error: problem }, true)
      }
    }
    void run()
  }, [])

  return { state, start, stop }
}
