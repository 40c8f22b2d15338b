import { useQuery } from '@tanstack/react-query'
import { statusQuery } from '../api/queries'
import type { Status } from '../api/types'

export function useStatus(): Status | undefined {
  return useQuery(statusQuery()).data
}

/** A part of the status. It is read every few seconds, and renders only what shows another part than before. */
export function useStatusPart<T>(part: (status: Status) => T): T | undefined {
  return useQuery({ ...statusQuery(), select: part }).data
}
