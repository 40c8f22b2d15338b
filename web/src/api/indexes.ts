import { queryOptions } from '@tanstack/react-query'
import * as api from '@tessera/client'
import { call } from './client'
import type { Index } from './types'

// Reads of document and range indexes: of one namespace, or of all at once.

export const indexesQuery = (ns: string) =>
  queryOptions({
    queryKey: ['namespaces', ns, 'indexes'],
    queryFn: () => call(api.listIndexes, { path: { ns }, query: { limit: 1000 } }),
    enabled: ns !== '',
  })

/** The indexes of all namespaces that the caller may see. */
export const allIndexesQuery = () =>
  queryOptions({
    queryKey: ['indexes'],
    queryFn: ({ signal }) => readAllIndexes(signal),
  })

async function readAllIndexes(signal: AbortSignal): Promise<Index[]> {
  const all: Index[] = []
  let cursor: string | undefined
  do {
    const page: { items: Index[]; cursor?: string } = await call(api.listAllIndexes, {
      query: { limit: 1000, ...(cursor !== undefined && { cursor }) },
      signal,
    })
    all.push(...page.items)
    cursor = page.cursor
  } while (cursor !== undefined)
  return all
}
