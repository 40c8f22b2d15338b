import { mayDo, type Operation } from './may'
import { prefetch, prefetchPages, type Read } from './prefetch'
import { meQuery } from './queries'
import { queryClient } from './query-client'

/** Begins reads, as `prefetch` does, if the caller may make them. That is known when it is known who the caller is. */
export const prefetchIf = (operation: Operation, ...reads: readonly Read[]): Promise<void> =>
  ifMay(operation, () => prefetch(...reads))

/** As `prefetchIf`, of the first page of a list that is read page by page. */
export const prefetchPagesIf = (operation: Operation, read: Parameters<typeof prefetchPages>[0]): Promise<void> =>
  ifMay(operation, () => prefetchPages(read))

async function ifMay(operation: Operation, begin: () => void): Promise<void> {
  const me = await queryClient.fetchQuery(meQuery()).catch(() => undefined)
  if (mayDo(me, operation)) begin()
}
