// When a call is sent again, and how long to wait before that.
import type { Repeats } from './operation.js'
import type { ApiProblem } from './problem.js'

export interface RetryOptions {
  /** How often a call is sent again at most. Default: 4. */
  retries?: number
  /** The longest wait before a call is sent again, in milliseconds. A longer `Retry-After` ends the tries. Default: 30,000. */
  longestWaitMs?: number
  /** Waits, or rejects once the signal is aborted. */
  wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

export const RETRIES_DEFAULT = 4
export const LONGEST_WAIT_MS = 30_000
const FIRST_WAIT_MS = 100

/** The server has not begun the work. */
const REFUSED = new Set(['too_many_requests', 'too_many_streams', 'too_many_connections', 'overloaded', 'starting'])
/** Something on the way has failed, and the work may be done or not. */
const UNCERTAIN = new Set([0, 429, 502, 503, 504])

/** Whether a call that failed may be sent again without being done twice. */
export function mayRepeat(problem: ApiProblem, repeats: Repeats, hasPrecondition: boolean): boolean {
  if (REFUSED.has(problem.code)) return true
  // The first one may still run; its answer comes with the same key.
  if (problem.code === 'idempotency_key_in_use') return true
  if (repeats === 'refused' || (repeats === 'plain' && hasPrecondition)) return false
  return UNCERTAIN.has(problem.status) && (problem.retryable || problem.code.startsWith('http_'))
}

/** Full jitter: any time up to a bound that doubles, and never before the server's `Retry-After`. */
export function waitBefore(again: number, longestMs: number, retryAfterMs: number, random = Math.random): number {
  return retryAfterMs + random() * Math.min(longestMs, FIRST_WAIT_MS * 2 ** again)
}

/** Milliseconds that a server asks to wait; seconds or a date (RFC 9110). 0: it does not say. */
export function retryAfter(header: string | null, nowMs = Date.now()): number {
  if (header === null) return 0
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? 0 : Math.max(at - nowMs, 0)
}

/** Waits, or rejects with the reason of the signal once it is aborted. */
export function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
