import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Job } from '../api/types'
import { connection, type ConnectionState } from './connection'

/** State of the live stream. */
export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(
    (listener) => connection.onState(listener),
    () => connection.state,
  )
}

/** A frame that comes a little late is not old. */
const LATE_MS = 1500

/** State of the live stream, and the age of its last frame in whole seconds; constant while frames arrive. */
export function useConnection(): { state: ConnectionState; ageSeconds: number | undefined } {
  const state = useConnectionState()
  const [ageSeconds, setAge] = useState<number>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = (): void => {
      clearTimeout(timer)
      const { lastFrameAt } = connection
      const ageMs = lastFrameAt === undefined ? undefined : Date.now() - lastFrameAt
      setAge(ageMs === undefined || ageMs < LATE_MS ? ageMs && 0 : Math.floor(ageMs / 1000))
      timer = setTimeout(read, LATE_MS)
    }
    read()
    const stop = connection.onFrame(read)
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [])
  return { state, ageSeconds }
}

/** Jobs of the newest frame; undefined before the first. An equal list stays the same object. */
export function useLiveJobs(): Job[] | undefined {
  const [jobs, setJobs] = useState<Job[] | undefined>(connection.latest?.jobs)
  useEffect(
    () =>
      connection.onFrame((frame) => {
        setJobs((old) => (frame.jobs === undefined || isSame(old, frame.jobs) ? old : frame.jobs))
      }),
    [],
  )
  return jobs
}

function isSame(old: Job[] | undefined, jobs: Job[]): boolean {
  return old?.length === jobs.length && JSON.stringify(old) === JSON.stringify(jobs)
}
