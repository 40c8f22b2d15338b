import { useSyncExternalStore } from 'react'
import type { AlertHealth, Job } from '../api/types'
import { connection, type ConnectionState } from './connection'

// A state that is set to its own value again and again keeps every setting until it is drawn, which may be never: so
// these hooks read the connection instead of copying it into a state.

/** State of the live stream. */
export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(
    (listener) => connection.onState(listener),
    () => connection.state,
  )
}

/** A frame that comes a little late is not old. Later its age is read this often. */
const LATE_MS = 1500
const AGE_MS = 500

/** State of the live stream, and the age of its last frame in whole seconds; constant while frames arrive. */
export function useConnection(): { state: ConnectionState; ageSeconds: number | undefined } {
  const state = useConnectionState()
  const ageSeconds = useSyncExternalStore(onAge, readAge)
  return { state, ageSeconds }
}

/** Frames come each second. */
const STALE_SECONDS = 2

/** When the last frame came, Unix milliseconds, if that is so long ago that what is shown may no longer be so. */
export const useStaleSince = (): number | undefined => useSyncExternalStore(onAge, readStaleSince)

const readStaleSince = (): number | undefined =>
  (readAge() ?? 0) >= STALE_SECONDS ? connection.lastFrameAt : undefined

/** Who asks for the age. All of them share one timer, because each frame begins it anew. */
const asking = new Set<() => void>()
let stopWatch: (() => void) | undefined

function onAge(listener: () => void): () => void {
  asking.add(listener)
  stopWatch ??= watchAge()
  return () => {
    asking.delete(listener)
    if (asking.size > 0) return
    stopWatch?.()
    stopWatch = undefined
  }
}

function watchAge(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = (nextMs: number): void => {
    clearTimeout(timer)
    timer = setTimeout(look, nextMs, AGE_MS)
    for (const tell of asking) tell()
  }
  const stop = connection.onFrame(() => look(LATE_MS))
  timer = setTimeout(look, LATE_MS, AGE_MS)
  return () => {
    stop()
    clearTimeout(timer)
  }
}

function readAge(): number | undefined {
  const { lastFrameAt } = connection
  if (lastFrameAt === undefined) return undefined
  const ageMs = Date.now() - lastFrameAt
  return ageMs < LATE_MS ? 0 : Math.floor(ageMs / 1000)
}

/** Jobs of the newest frame; undefined before the first. An equal list stays the same object. */
export function useLiveJobs(): Job[] | undefined {
  return useSyncExternalStore(onFrame, () => connection.jobs)
}

/** What the alerts add up to; undefined unless the stream tells it. */
export function useLiveHealth(): AlertHealth | undefined {
  return useSyncExternalStore(onFrame, () => connection.health)
}

/** A plain value of the stream, such as a text. Frames render only what shows another one. */
export function useLiveValue<T extends string | number>(read: () => T): T {
  return useSyncExternalStore(onFrame, read)
}

const onFrame = (listener: () => void): (() => void) => connection.onFrame(listener)
