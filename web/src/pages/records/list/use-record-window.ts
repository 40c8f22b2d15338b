import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react'
import { readPage, type RecordPage } from '../../../records/client'
import { type Asked, foundBody, isPlain, readFound } from '../../../records/found'
import { type ReadPage, RecordWindow } from './record-window'

/** Records of a page. */
export const PAGE = 200
/** Records of the first page of a set: what a high screen shows, so that it is there sooner. */
const FIRST_PAGE = 60
/** Records of a page in an order that no index has: each one reads all records. */
export const SORTED_PAGE = 1000

interface Options {
  ns: string
  set: string | undefined
  asked: Asked
  /** whether it may begin */
  enabled: boolean
}

/** The first page of a list, by the key under which it is kept. */
const firstKey = (ns: string, set: string | undefined, { where, by, desc, from, segment }: Asked) =>
  ['records', ns, set, where, by, desc, from?.type, from?.text, segment] as const

const WHOLE: Asked = { where: '', by: undefined, desc: false }

/** The first page of a whole set, which a route may begin to read. */
export const firstPageQuery = (ns: string, set: string) =>
  queryOptions({
    queryKey: firstKey(ns, set, WHOLE),
    queryFn: ({ signal }) => readPage(ns, set, FIRST_PAGE, undefined, signal),
    structuralSharing: false,
  })

/**
 * The records of a set, read as they come into view. With a filter or an order they are those of a query. A change of any
 * record reads those in view again.
 */
export function useRecordWindow({ ns, set, asked, enabled }: Options) {
  const { where, by, desc, from, segment } = asked
  const read = useMemo((): ReadPage => {
    const wanted = { where, by, desc }
    if (isPlain(wanted))
      return (cursor, signal) =>
        readPage(ns, set ?? '', cursor === undefined ? FIRST_PAGE : PAGE, cursor, signal, { from, segment })
    const limit = by === undefined ? PAGE : SORTED_PAGE
    return (cursor, signal, heard) => readFound(ns, foundBody(set ?? '', wanted, limit, cursor), signal, heard)
  }, [ns, set, where, by, desc, from, segment])
  const queries = useQueryClient()
  const queryKey = useMemo(
    () => firstKey(ns, set, { where, by, desc, from, segment }),
    [ns, set, where, by, desc, from, segment],
  )
  // What is there already is part of the first drawing, which comes in pieces. A later one draws all in one task.
  const window = useMemo(
    () => new RecordWindow(read, queries.getQueryData<RecordPage>(queryKey)),
    [read, queries, queryKey],
  )
  useEffect(() => window.open(), [window])
  const version = useSyncExternalStore(window.subscribe, window.version)
  const { data, error, refetch, isFetching } = useQuery({
    queryKey,
    queryFn: ({ signal }) => read(undefined, signal, window.first),
    enabled: set !== undefined && enabled,
    // Each answer is another page, also if it says the same: the pages after it are read again.
    structuralSharing: false,
  })
  useEffect(() => {
    if (data !== undefined) window.take(data)
  }, [window, data])
  const stop = useCallback(() => {
    window.stop()
    void queries.cancelQueries({ queryKey, exact: true })
  }, [window, queries, queryKey])
  const goOn = useCallback(() => {
    window.retry()
    if (data === undefined) void refetch()
  }, [window, data, refetch])
  return { window, version, first: data, error, refetch, reading: isFetching || window.reading, stop, goOn }
}
