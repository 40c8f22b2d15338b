import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { jobQuery } from '../../api/queries'
import type { Job } from '../../api/types'
import { isActive } from './job-state'

const POLL_MS = 500

/** A job, polled while it runs. `onEnd` is called once when it has ended. */
export function useJob(id: string | undefined, onEnd?: (job: Job) => void): Job | undefined {
  const { data } = useQuery({
    ...jobQuery(id),
    refetchInterval: (query) => (query.state.data !== undefined && !isActive(query.state.data) ? false : POLL_MS),
  })
  const ended = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (data === undefined || isActive(data) || ended.current === data.id) return
    ended.current = data.id
    onEnd?.(data)
  }, [data, onEnd])
  return data
}

/** Invalidates everything that work on a namespace may have changed. */
export function useRefreshNamespaces(): () => void {
  const queries = useQueryClient()
  return () => {
    void queries.invalidateQueries({ queryKey: ['namespaces'] })
    void queries.invalidateQueries({ queryKey: ['jobs'] })
    void queries.invalidateQueries({ queryKey: ['status'] })
  }
}
