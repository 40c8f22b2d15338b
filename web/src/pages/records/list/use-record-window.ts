import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { readPage } from '../../../records/client'
import { RecordWindow } from './record-window'

/** Records of a page. */
export const PAGE = 200

/** The records of a set, read as they come into view. A change of any record reads those in view again. */
export function useRecordWindow(ns: string, set: string | undefined) {
  const window = useMemo(
    () => new RecordWindow((cursor, signal) => readPage(ns, set ?? '', PAGE, cursor, signal)),
    [ns, set],
  )
  useEffect(() => window.open(), [window])
  const version = useSyncExternalStore(window.subscribe, window.version)
  const { data, error, refetch } = useQuery({
    queryKey: ['records', ns, set],
    queryFn: () => readPage(ns, set ?? '', PAGE, undefined),
    enabled: set !== undefined,
    // Each answer is another page, also if it says the same: the pages after it are read again.
    structuralSharing: false,
  })
  useEffect(() => {
    if (data !== undefined) window.take(data)
  }, [window, data])
  return { window, version, first: data, error, refetch }
}
