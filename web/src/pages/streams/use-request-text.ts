import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { usePageShown } from '../../components/use-page-shown'
import { useSettled } from '../../components/use-settled'
import { prettyRequest } from '../../records/request/request'
import { inPlace } from '../../search'
import { keepText, keptText } from './kept-text'
import { addressOf, emptyStream } from './request'

/** Shows another text; `apart`: as a new entry in the browser's history. */
type SetText = (text: string, apart?: boolean) => void

/**
 * The request's JSON text, written to the address after a pause in typing. The window also stores it, so that it survives
 * leaving or reloading the page.
 */
export function useRequestText(ns: string | undefined): [text: string, setText: SetText] {
  const search = useSearch({ from: '/streams' })
  const { request } = search
  const navigate = useNavigate({ from: '/streams' })
  const shown = usePageShown('/streams')
  const read = (): string => prettyRequest(request ?? emptyStream)
  const [text, setText] = useState(() => keptText(search) ?? read())
  const [seen, setSeen] = useState(request)
  const pushes = useRef(false)
  const settled = useSettled(text)
  const address = addressOf(settled)
  // Only for text from a link or from the history, not for text typed here.
  if (request !== seen) {
    setSeen(request)
    if (request !== address) setText(read())
  }
  // The browser has a new address before this page sees it.
  useEffect(() => keepText([search, { ns, request: address }], text), [search, ns, address, text])
  const same = settled === text
  const stale = same && address !== request
  useEffect(() => {
    if (stale && shown()) void navigate({ search: { ns, request: address }, ...inPlace, replace: !pushes.current })
    if (same) pushes.current = false
  }, [same, stale, ns, address, navigate, shown])
  const set: SetText = (next, apart = false) => {
    if (apart && next !== text) pushes.current = true
    setText(next)
  }
  return [text, set]
}
