import { startTransition, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { LiveFeed, type Feed } from './feed'
import { HistoryFeed } from './history-feed'
import { isLong } from './window'

/** A feed that lives as long as the component shows this window. `fromHistory`: frames do not add to it. */
export function useFeed(windowMs: number, stepMs: number, fromHistory = isLong(stepMs)): Feed {
  const feed = useMemo(
    () => (fromHistory ? new HistoryFeed(windowMs, stepMs) : new LiveFeed(windowMs, stepMs)),
    [windowMs, stepMs, fromHistory],
  )
  useEffect(() => feed.open(), [feed])
  return feed
}

/** Renders again if the result of `read` changes; `version` changes with every frame. */
export function useFeedValue<T>(feed: Feed, read: (feed: Feed) => T): T {
  return useSyncExternalStore(feed.subscribe, () => read(feed))
}

export const version = (feed: Feed): number => feed.version

/** Whether its history is there. The charts of a page hear it together, so they show their data in pieces. */
export function useLoaded(feed: Feed): boolean {
  const [known, setKnown] = useState(feed.loaded ? feed : undefined)
  useEffect(() => {
    if (known === feed) return
    const look = (): void => {
      if (!feed.loaded) return
      stop()
      startTransition(() => setKnown(feed))
    }
    const stop = feed.subscribe(look)
    look()
    return stop
  }, [feed, known])
  return known === feed
}
