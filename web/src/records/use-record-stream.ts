import { useEffect, useState, useSyncExternalStore } from 'react'
import { send } from '../api/client'
import { readLines } from '../api/lines'
import { ApiProblem, streamBroken } from '../api/problem'

/** Rows of a stream that a page keeps; the rest is only counted. */
export const KEPT_ROWS = 5000
const REDRAW_MS = 150

export interface StreamState {
  phase: 'idle' | 'running' | 'done' | 'stopped' | 'failed'
  /** the namespace of the rows */
  ns: string
  /** where it was sent */
  path: string
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
  path: '',
  body: '',
  rows: [],
  count: 0,
  bytes: 0,
  jobId: undefined,
  elapsedMs: 0,
  error: undefined,
}

/** A scan or query that keeps its first rows. What shows a part of its state renders only if that part changes. */
export class RecordStream {
  #state = idle
  #own: AbortController | undefined
  readonly #listeners = new Set<() => void>()

  get state(): StreamState {
    return this.#state
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Also ends the work in the engine. */
  readonly stop = (): void => this.#own?.abort()

  start(ns: string, path: string, body: string): void {
    this.stop()
    const own = new AbortController()
    this.#own = own
    void this.#run(own, { ...idle, phase: 'running', ns, path, body })
  }

  async #run(own: AbortController, now: StreamState): Promise<void> {
    const startedAt = performance.now()
    const rows: string[] = []
    let drawnAt = 0
    const draw = (part: Partial<StreamState>, force = false): void => {
      Object.assign(now, part, { elapsedMs: performance.now() - startedAt })
      if (this.#own !== own || (!force && performance.now() - drawnAt < REDRAW_MS)) return
      drawnAt = performance.now()
      // Without new rows the list stays the same.
      if (now.rows.length !== rows.length) now.rows = rows.slice()
      this.#state = { ...now }
      for (const listener of this.#listeners) listener()
    }
    draw({}, true)
    try {
      const headers = { 'Content-Type': 'application/json', Accept: 'application/x-ndjson' }
      const response = await send('POST', now.path, { headers, body: now.body, signal: own.signal })
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
}

/** The stream of a page. Leaving the page stops it. */
export function useRecordStream(): RecordStream {
  const [stream] = useState(() => new RecordStream())
  useEffect(() => stream.stop, [stream])
  return stream
}

/** A part of its state; renders if that part changes. */
export function useStreamPart<Part>(stream: RecordStream, read: (state: StreamState) => Part): Part {
  return useSyncExternalStore(stream.subscribe, () => read(stream.state))
}

export const phaseOf = ({ phase }: StreamState): StreamState['phase'] => phase
