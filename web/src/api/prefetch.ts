import type { FetchQueryOptions, QueryKey } from '@tanstack/react-query'
import { queryClient } from './query-client'

/** A read of `queries.ts`; different ones have no closer type in common. */
interface Read {
  queryKey: QueryKey
  queryFn?: unknown
}

/** Begins to read what a page will show, while its code loads. The page waits for the same read, or shows its failure. */
export function prefetch(...reads: readonly Read[]): void {
  for (const read of reads) void queryClient.prefetchQuery(read as FetchQueryOptions)
}
