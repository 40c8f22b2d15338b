import { useEffect, useMemo, useSyncExternalStore } from 'react'
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
