import { useQuery } from '@tanstack/react-query'
import { statusQuery } from '../api/queries'
import type { Status } from '../api/types'

export function useStatus(): Status | undefined {
  return useQuery(statusQuery()).data
}
