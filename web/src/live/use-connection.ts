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

/** State of the live stream, and the age of its last frame in whole seconds; constant while frames arrive. */
export function useConnection(): { state: ConnectionState; ageSeconds: number | undefined } {
  const state = useConnectionState()
  const [ageSeconds, setAge] = useState<number>()
  useEffect(() => {
    const read = (): void =>
      setAge(
        connection.lastFrameAt === undefined ? undefined : Math.floor((Date.now() - connection.lastFrameAt) / 1000),
      )
    read()
    const timer = setInterval(read, 500)
    return () => clearInterval(timer)
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
