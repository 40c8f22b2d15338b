import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import * as api from '@tessera/client'
import { call } from './client'

// Reads of the sets of a namespace. There may be 65,534, so each read is one page, searched and ordered by the server.

export interface SetSearch {
  /** a part of the name */
  q?: string
  sort?: 'name' | 'records' | 'bytes'
  order?: 'asc' | 'desc'
}

/** Sets that one page of a list has. */
const PAGE = 100

const keyOf = (ns: string) => ['namespaces', ns, 'sets'] as const

/** The first sets of a search; without one by name. */
export const setsQuery = (ns: string, search: SetSearch = {}, limit = PAGE) =>
  queryOptions({
    queryKey: [...keyOf(ns), 'first', search, limit],
    queryFn: () => call(api.listSets, { path: { ns }, query: { ...search, limit } }),
    enabled: ns !== '',
  })

/** The set with the most records. */
export const biggestSetQuery = (ns: string) => setsQuery(ns, { sort: 'records', order: 'desc' }, 1)

/** As `setsQuery`, page after page. */
export const setPagesQuery = (ns: string, search: SetSearch) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(ns), 'pages', search],
    queryFn: ({ pageParam }) =>
      call(api.listSets, {
        path: { ns },
        query: { ...search, limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: keepPreviousData,
  })

/** One set; null if there is none of this name. Asked as a list, because a form asks for names that are half typed. */
export const setQuery = (ns: string, set: string | undefined) =>
  queryOptions({
    queryKey: [...keyOf(ns), 'one', set],
    queryFn: async () => {
      // The name itself is the first of those that begin with it.
      const { items } = await call(api.listSets, { path: { ns }, query: { prefix: set ?? '', limit: 1 } })
      return items.find(({ name }) => name === set) ?? null
    },
    enabled: ns !== '' && set !== undefined,
  })
