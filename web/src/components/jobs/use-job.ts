import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { jobQuery } from '../../api/queries'
import type { Job } from '../../api/types'
import { isActive } from './job-state'

const POLL_MS = 500

/** A part of a job, polled while it runs; renders if that part changes. */
export function useJobPart<Part>(id: string | undefined, select: (job: Job) => Part): Part | undefined {
  return useQuery({
    ...jobQuery(id),
    refetchInterval: ({ state: { data } }) => (data !== undefined && !isActive(data) ? false : POLL_MS),
    select,
  }).data
}

/** A whole job. `onEnd` is called once when it has ended. */
export function useJob(id: string | undefined, onEnd?: (job: Job) => void): Job | undefined {
  const data = useJobPart(id, whole)
  const ended = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (data === undefined || isActive(data) || ended.current === data.id) return
    ended.current = data.id
    onEnd?.(data)
  }, [data, onEnd])
  return data
}

const whole = (job: Job): Job => job

/** Invalidates everything that work on a namespace may have changed. */
export function useRefreshNamespaces(): () => void {
  const queries = useQueryClient()
  return () => {
    void queries.invalidateQueries({ queryKey: ['namespaces'] })
    void queries.invalidateQueries({ queryKey: ['jobs'] })
    void queries.invalidateQueries({ queryKey: ['status'] })
  }
}
