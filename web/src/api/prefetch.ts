import type { FetchInfiniteQueryOptions, FetchQueryOptions, QueryKey } from '@tanstack/react-query'
import { queryClient } from './query-client'

/** A read of `queries.ts`; different ones have no closer type in common. */
export interface Read {
  queryKey: QueryKey
  queryFn?: unknown
}

/** As `prefetch`, of the first page of a list that is read page by page. */
export function prefetchPages(read: Read & { initialPageParam: unknown }): void {
  void queryClient.prefetchInfiniteQuery(read as FetchInfiniteQueryOptions)
}

/** Begins to read what a page will show, while its code loads. The page waits for the same read, or shows its failure. */
export function prefetch(...reads: readonly Read[]): void {
  for (const read of reads) void queryClient.prefetchQuery(read as FetchQueryOptions)
}

/** When no read is under way any more, or after `mostMs`. */
export function readsEnded(mostMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      stop()
      resolve()
    }
    const look = (): void => {
      if (queryClient.isFetching() === 0) end()
    }
    const timer = setTimeout(end, mostMs)
    const stop = queryClient.getQueryCache().subscribe(look)
    look()
  })
}
