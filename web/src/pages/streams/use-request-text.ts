import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useSettled } from '../../components/use-settled'
import { prettyRequest } from '../../records/request'
import { keepText, keptText } from './kept-text'
import { addressOf, emptyStream } from './request'

/** Shows another text; `apart`: as an entry of its own in the browser's history. */
type SetText = (text: string, apart?: boolean) => void

/**
 * The request's JSON text, in step with the address once no letter has come for a moment. The window keeps it meanwhile,
 * so that whoever leaves or loads the page again finds it.
 */
export function useRequestText(ns: string | undefined): [text: string, setText: SetText] {
  const search = useSearch({ from: '/streams' })
  const { request } = search
  const navigate = useNavigate({ from: '/streams' })
  const read = (): string => prettyRequest(request ?? emptyStream)
  const [text, setText] = useState(() => keptText(search) ?? read())
  const [seen, setSeen] = useState(request)
  const pushes = useRef(false)
  const settled = useSettled(text)
  const address = addressOf(settled)
  // What came by a link or by going back, not what was written from here.
  if (request !== seen) {
    setSeen(request)
    if (request !== address) setText(read())
  }
  useEffect(() => keepText(search, text), [search, text])
  const same = settled === text
  const stale = same && address !== request
  useEffect(() => {
    if (stale) void navigate({ search: { ns, request: address }, replace: !pushes.current })
    if (same) pushes.current = false
  }, [same, stale, ns, address, navigate])
  const set: SetText = (next, apart = false) => {
    if (apart && next !== text) pushes.current = true
    setText(next)
  }
  return [text, set]
}
