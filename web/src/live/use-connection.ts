import { useSyncExternalStore } from 'react'
import type { Job } from '../api/types'
import { connection, type ConnectionState } from './connection'

// A state that is set to its own value again and again keeps every setting until it is drawn, which may be never: so
// these hooks read the connection instead of copying it into a state.

const AGE_MS = 500

/** State of the live stream. */
export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(
    (listener) => connection.onState(listener),
    () => connection.state,
  )
}

/** State of the live stream, and the age of its last frame in whole seconds; constant while frames arrive. */
export function useConnection(): { state: ConnectionState; ageSeconds: number | undefined } {
  const state = useConnectionState()
  const ageSeconds = useSyncExternalStore(everyHalfSecond, readAge)
  return { state, ageSeconds }
}

function everyHalfSecond(listener: () => void): () => void {
  const timer = setInterval(listener, AGE_MS)
  return () => clearInterval(timer)
}

const readAge = (): number | undefined =>
  connection.lastFrameAt === undefined ? undefined : Math.floor((Date.now() - connection.lastFrameAt) / 1000)

/** Jobs of the newest frame; undefined before the first. An equal list stays the same object. */
export function useLiveJobs(): Job[] | undefined {
  return useSyncExternalStore(onFrame, () => connection.jobs)
}

const onFrame = (listener: () => void): (() => void) => connection.onFrame(listener)
