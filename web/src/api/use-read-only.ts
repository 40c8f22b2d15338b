import { useQuery } from '@tanstack/react-query'
import { statusQuery } from './queries'

/** Whether the server refuses every change. */
export function useReadOnly(): boolean {
  // The chip of the bar keeps the status fresh.
  return useQuery({ ...statusQuery(), refetchInterval: false, select: (status) => status.readOnly }).data ?? false
}
