import { useQuery } from '@tanstack/react-query'
import { statusQuery } from '../api/queries'
import type { Status } from '../api/types'
import { useConnectionState } from '../live/use-connection'

export function useStatus(): Status | undefined {
  return useQuery(statusQuery()).data
}

/** A part of the status that stays as it is while the live stream is open. It renders only if that part changes. */
export function useStatusPart<T>(part: (status: Status) => T): T | undefined {
  const isSettled = useConnectionState() === 'live'
  return useQuery({ ...statusQuery(isSettled), select: part }).data
}
