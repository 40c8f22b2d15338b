// The states of an alert: a condition must hold before it fires, and its opposite before it is resolved.
import type { AlertState } from '../../schemas/alerts/alerts.js'

/** A firing alert without data for this long is resolved. */
export const NO_DATA_MS = 3_600_000
/** How long an alert is called resolved. */
const RESOLVED_MS = 3_600_000

export interface Standing {
  state: AlertState
  sinceMs: number
  /** Since when the condition, or its opposite, holds without a pause. */
  holdsSinceMs?: number
  clearSinceMs?: number
  noDataSinceMs?: number
}

export interface Verdict {
  /** Undefined: no data. */
  breach: boolean | undefined
  /** Whether the condition is off with the margin of its hysteresis. */
  clear: boolean
}

export interface Holds {
  forMs: number
  resolveForMs: number
}

export type Step = 'fired' | 'resolved' | 'no-data' | undefined

export const begin = (atMs: number): Standing => ({ state: 'ok', sinceMs: atMs })

/** Moves `standing` on by one second; says what happened. */
export function step(
  standing: Standing,
  atMs: number,
  { breach, clear }: Verdict,
  { forMs, resolveForMs }: Holds,
): Step {
  // A clock that went back must not keep a state until it is there again.
  standing.sinceMs = Math.min(standing.sinceMs, atMs)
  if (breach === undefined) return withoutData(standing, atMs)
  delete standing.noDataSinceMs
  if (breach) delete standing.clearSinceMs
  else delete standing.holdsSinceMs
  if (standing.state === 'firing') return settle(standing, atMs, clear, resolveForMs)
  if (!breach) {
    if (standing.state === 'pending') enter(standing, 'ok', atMs)
    return age(standing, atMs)
  }
  // After an interruption it is pending anew.
  const begins = standing.holdsSinceMs === undefined
  const holdsSinceMs = (standing.holdsSinceMs ??= atMs)
  if (atMs - holdsSinceMs >= forMs) {
    enter(standing, 'firing', atMs)
    return 'fired'
  }
  if (begins || standing.state !== 'pending') enter(standing, 'pending', atMs)
  return undefined
}

function settle(standing: Standing, atMs: number, clear: boolean, resolveForMs: number): Step {
  if (!clear) {
    delete standing.clearSinceMs
    return undefined
  }
  standing.clearSinceMs ??= atMs
  if (atMs - standing.clearSinceMs < resolveForMs) return undefined
  enter(standing, 'resolved', atMs)
  return 'resolved'
}

/** A gap is no zero: it neither fires nor resolves, and a condition that was holding begins anew. */
function withoutData(standing: Standing, atMs: number): Step {
  standing.noDataSinceMs = Math.min(standing.noDataSinceMs ?? atMs, atMs)
  delete standing.holdsSinceMs
  delete standing.clearSinceMs
  if (standing.state === 'pending') enter(standing, 'ok', atMs)
  if (standing.state !== 'firing' || atMs - standing.noDataSinceMs < NO_DATA_MS) return age(standing, atMs)
  enter(standing, 'resolved', atMs)
  return 'no-data'
}

function age(standing: Standing, atMs: number): undefined {
  if (standing.state === 'resolved' && atMs - standing.sinceMs >= RESOLVED_MS) enter(standing, 'ok', atMs)
}

function enter(standing: Standing, state: AlertState, atMs: number): void {
  standing.state = state
  standing.sinceMs = atMs
  delete standing.clearSinceMs
  if (state !== 'pending') delete standing.holdsSinceMs
}

/** Time without frames: nobody knows whether a condition held meanwhile. */
export function interrupt(standing: Standing): void {
  delete standing.holdsSinceMs
  delete standing.clearSinceMs
}
