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

/** When all reads have ended that are under way now, or after `mostMs`. */
export function readsEnded(mostMs: number): Promise<void> {
  const cache = queryClient.getQueryCache()
  const begun = cache.findAll({ fetchStatus: 'fetching' })
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      stop()
      resolve()
    }
    const look = (): void => {
      if (begun.every(({ state }) => state.fetchStatus !== 'fetching')) end()
    }
    const timer = setTimeout(end, mostMs)
    const stop = cache.subscribe(look)
    look()
  })
}

let first: Promise<void> | undefined

/** What is under way now are the reads of the first page. Its place is drawn meanwhile, and it waits for them that long. */
export function awaitFirstReads(mostMs: number): void {
  first = endOfFirst(mostMs)
}

async function endOfFirst(mostMs: number): Promise<void> {
  await readsEnded(mostMs)
  first = undefined
}

/** The end of the reads of the first page; undefined if nothing waits for them. */
export const firstReads = (): Promise<void> | undefined => first
