import { useEffect } from 'react'
import { useRange } from './range'
import { useConnectionState } from './use-connection'
import { useFeed, useFeedValue } from './use-feed'

/** Columns of a second are watched; longer ones are averages, which the history has. */
const SECOND_MS = 1000

/** The feed of the range of all pages. `hasNow`: its last columns tell what is now. A pause keeps them. */
export function useRangeFeed(paused: boolean) {
  const { ms, stepMs } = useRange()
  const feed = useFeed(ms, stepMs, stepMs > SECOND_MS)
  useEffect(() => feed.pause(paused), [feed, paused])
  const error = useFeedValue(feed, (one) => one.error)
  const state = useConnectionState()
  return { feed, error, hasNow: stepMs === SECOND_MS && (paused || state === 'live') }
}
