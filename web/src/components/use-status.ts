import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { statusQuery } from '../api/queries'
import type { Status } from '../api/types'
import { connection } from '../live/connection'
import { useConnectionState } from '../live/use-connection'

export function useStatus(): Status | undefined {
  return useQuery(statusQuery()).data
}

/** A part of the status that stays as it is while the live stream is open. It renders only if that part changes. */
export function useStatusPart<T>(part: (status: Status) => T): T | undefined {
  const isSettled = useConnectionState() === 'live'
  return useQuery({ ...statusQuery(isSettled), select: part }).data
}

/** Reads the status again when a lost stream is back: the server may be another one. */
export function useStatusAfterLoss(): void {
  const queries = useQueryClient()
  useEffect(() => {
    let isLost = false
    return connection.onState(() => {
      if (isLost && connection.state === 'live') void queries.invalidateQueries({ queryKey: ['status'] })
      isLost = connection.state !== 'live'
    })
  }, [queries])
}
