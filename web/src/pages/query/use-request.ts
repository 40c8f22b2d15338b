import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { savedQueryQuery } from '../../api/queries'
import type { SavedQuery } from '../../api/types'
import { useDefaultNamespace } from '../../components/use-default-namespace'
import { useSettled } from '../../components/use-settled'
import { compactRequest, emptyRequest, fitsAddress, prettyRequest } from '../../records/request'

export interface RequestState {
  /** undefined while loading, empty where there is none */
  ns: string | undefined
  /** JSON text, as it is being written */
  text: string
  /** the saved query that it began as */
  saved: SavedQuery | undefined
  change: (text: string) => void
  /** Asks another namespace, perhaps something else. */
  move: (ns: string, text: string, saved?: string) => void
}

/** The request of the page, in step with the address; one that is too long for it lives in the page only, or as a saved query. */
export function useRequest(): RequestState {
  const search = useSearch({ from: '/query' })
  const navigate = useNavigate({ from: '/query' })
  const { data: saved, error } = useQuery(savedQueryQuery(search.saved))
  const ns = useDefaultNamespace(search.ns ?? (error === null ? saved?.namespace : undefined))
  const [text, setText] = useState(() => prettyRequest(search.request ?? emptyRequest))
  /** what this page wrote into the address, and what stood there when it was last looked at */
  const [written, setWritten] = useState(search.request)
  const [seen, setSeen] = useState(search.request)
  const [loaded, setLoaded] = useState<string>()
  const settled = useSettled(text)

  if (search.request !== seen) {
    setSeen(search.request)
    if (search.request !== undefined && search.request !== written) setText(prettyRequest(search.request))
  }
  if (saved !== undefined && saved.id === search.saved && saved.id !== loaded) {
    setLoaded(saved.id)
    if (search.request === undefined) setText(prettyRequest(saved.request))
  }

  useEffect(() => {
    const compact = compactRequest(settled)
    const next = fitsAddress(compact) ? compact : undefined
    const begun = search.saved === undefined ? emptyRequest : saved?.request
    const untouched = search.request === undefined && (begun === undefined || compact === compactRequest(begun))
    if (settled !== text || next === search.request || untouched) return
    setWritten(next)
    void navigate({ search: { ns, request: next, saved: search.saved }, replace: true })
    // Only what was written and has come to rest goes into the address.
  }, [settled])

  const move = (place: string, next: string, id?: string): void => {
    const compact = compactRequest(next)
    const request = fitsAddress(compact) ? compact : undefined
    setText(prettyRequest(next))
    setWritten(request)
    void navigate({ search: { ns: place, request, saved: id }, replace: id === undefined })
  }
  return { ns, text, saved: saved?.id === search.saved ? saved : undefined, change: setText, move }
}
