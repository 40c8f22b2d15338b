import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { eventsQuery } from '../api/events'
import { nowMs } from '../live/feed'

const END_MS = 2000

/** Reads the events of a time that no feed of the page has. Without an end, frames bring those that come. */
export function useEventHistory(from: string | undefined, to: string | undefined, namespace: string): void {
  const [now] = useState(nowMs)
  const fromMs = from === undefined ? now : Date.parse(from)
  // An event at the end is in the second that follows.
  const toMs = to === undefined ? now : Date.parse(to) + END_MS
  useQuery({ ...eventsQuery(fromMs, toMs, namespace), enabled: from !== undefined && fromMs < toMs })
}
