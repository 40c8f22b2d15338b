import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useSettled } from '../../components/use-settled'
import { prettyRequest } from '../../records/request'
import { addressOf, emptyStream } from './request'

/** The request's JSON text, in step with the address once no letter has come for a moment. */
export function useRequestText(ns: string | undefined): [text: string, setText: (text: string) => void] {
  const { request } = useSearch({ from: '/streams' })
  const navigate = useNavigate({ from: '/streams' })
  const read = (): string => prettyRequest(request ?? emptyStream)
  const [text, setText] = useState(read)
  const [seen, setSeen] = useState(request)
  const settled = useSettled(text)
  const address = addressOf(settled)
  // What came by a link or by going back, not what was written from here.
  if (request !== seen) {
    setSeen(request)
    if (request !== address) setText(read())
  }
  const stale = settled === text && address !== request
  useEffect(() => {
    if (stale) void navigate({ search: { ns, request: address }, replace: true })
  }, [stale, ns, address, navigate])
  return [text, setText]
}
