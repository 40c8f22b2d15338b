import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { LiveFeed } from './feed'

/** A feed that lives as long as the component shows this window. */
export function useFeed(windowMs: number, stepMs: number): LiveFeed {
  const feed = useMemo(() => new LiveFeed(windowMs, stepMs), [windowMs, stepMs])
  useEffect(() => feed.open(), [feed])
  return feed
}

/** Renders again if the result of `read` changes; `version` changes with every frame. */
export function useFeedValue<T>(feed: LiveFeed, read: (feed: LiveFeed) => T): T {
  return useSyncExternalStore(feed.subscribe, () => read(feed))
}

export const version = (feed: LiveFeed): number => feed.version
