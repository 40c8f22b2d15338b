import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { savedQueryQuery } from '../../api/queries'
import type { SavedQuery } from '../../api/types'
import { useDefaultNamespace } from '../../components/use-default-namespace'
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

const QUIET_MS = 300

/** A request as the address carries it. */
function addressed(text: string): string | undefined {
  const compact = compactRequest(text)
  return fitsAddress(compact) ? compact : undefined
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
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)

  if (search.request !== seen) {
    setSeen(search.request)
    if (search.request !== undefined && search.request !== written) setText(prettyRequest(search.request))
  }
  if (saved !== undefined && saved.id === search.saved && saved.id !== loaded) {
    setLoaded(saved.id)
    if (search.request === undefined) setText(prettyRequest(saved.request))
  }

  useEffect(() => () => clearTimeout(timer.current), [])

  /** Once no letter has come for a moment. */
  const change = (next: string): void => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const request = addressed(next)
      setWritten(request)
      void navigate({ search: { ns, request, saved: search.saved }, replace: true })
    }, QUIET_MS)
  }
  const move = (place: string, next: string, id?: string): void => {
    const request = addressed(next)
    clearTimeout(timer.current)
    setText(prettyRequest(next))
    setWritten(request)
    void navigate({ search: { ns: place, request, saved: id }, replace: id === undefined })
  }
  return { ns, text, saved: saved?.id === search.saved ? saved : undefined, change, move }
}
