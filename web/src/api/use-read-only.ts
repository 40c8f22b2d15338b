import { useQuery } from '@tanstack/react-query'
import { statusQuery } from './queries'

/** Whether the server refuses every change; undefined until it is known. */
export function useReadOnly(): boolean | undefined {
  // The chip of the bar keeps the status fresh.
  const { data, isPending } = useQuery({
    ...statusQuery(),
    refetchInterval: false,
    select: (status) => status.readOnly,
  })
  return isPending ? undefined : (data ?? false)
}
