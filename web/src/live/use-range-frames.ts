import { useEffect, useMemo } from 'react'
import { useRange } from './range'
import { useConnectionState } from './use-connection'
import { useFeed, useFeedValue, version } from './use-feed'

/** Columns of a second are watched; longer ones are averages, which the history has. */
const SECOND_MS = 1000

/** The frame of each column of the range of all pages. `hasNow`: the last columns tell what is now. A pause keeps them. */
export function useRangeFrames(paused: boolean) {
  const { ms, stepMs } = useRange()
  const feed = useFeed(ms, stepMs, stepMs > SECOND_MS)
  useEffect(() => feed.pause(paused), [feed, paused])
  const made = useFeedValue(feed, version)
  const error = useFeedValue(feed, (one) => one.error)
  const state = useConnectionState()
  const shown = useMemo(() => {
    const range = { from: feed.endMs - ms, to: feed.endMs }
    return { range, frames: feed.buffer.frames(range.from, range.to), made }
  }, [feed, ms, made])
  return { ...shown, stepMs, error, hasNow: stepMs === SECOND_MS && (paused || state === 'live') }
}
