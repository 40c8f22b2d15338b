import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLinked, type ChartLink } from '../../../charts/card/link'
import type { Range } from '../../../charts/spec/spec'
import type { Column } from '../../../live/buffer'
import { spanQuery } from '../../../live/span'
import { useFeedValue, version } from '../../../live/use-feed'
import type { LiveView } from '../../../live/view'

interface Selected {
  range: Range
  columns: readonly Column[]
  /** of the equal span before it */
  before: readonly Column[]
  error: unknown
}

/** Whether the feed has a span and the equal one before it. An address can name one that lies further back. */
export function isHeld({ feed }: LiveView, { from, to }: Range): boolean {
  return from - (to - from) >= feed.endMs - 2 * feed.windowMs - feed.stepMs && to <= feed.endMs
}

const NONE: readonly Column[] = []

/** The selected span, or else the whole window. */
export function useSelected(view: LiveView, link: ChartLink): Selected {
  const selection = useLinked(link, (state) => state.selection)
  const shown = useFeedValue(view.feed, version)
  const range = selection ?? view.range
  const isPast = !isHeld(view, range)
  const earlier = { from: range.from - (range.to - range.from), to: range.from }
  const past = useQuery({ ...spanQuery(range, view.filter), enabled: isPast })
  const pastBefore = useQuery({ ...spanQuery(earlier, view.filter), enabled: isPast })
  return useMemo(() => {
    const read = ({ from, to }: Range): Column[] => view.feed.buffer.columns(from, to, view.filter)
    return isPast
      ? { range, columns: past.data ?? NONE, before: pastBefore.data ?? NONE, error: past.error ?? pastBefore.error }
      : { range, columns: read(range), before: read(earlier), error: null }
  }, [view, range, shown, isPast, past.data, pastBefore.data, past.error, pastBefore.error])
}
