import type { Segment } from '../../../api/types'

/** The result of a poll. */
export interface Poll {
  /** ms since 1970 */
  at: number
  segments: readonly Segment[]
}

/** The newest poll, and the point operations per segment since the poll before. */
export interface Heat {
  newest: Poll
  /** reads and writes per second, by segment; unset before the second poll */
  perSecond?: readonly number[]
}

const operations = ({ reads, writes }: Segment): number => reads + writes

export function withPoll(before: Heat | undefined, newest: Poll): Heat {
  const past = before?.newest
  const seconds = past === undefined ? 0 : (newest.at - past.at) / 1000
  if (past === undefined || seconds <= 0 || past.segments.length !== newest.segments.length) return { newest }
  const perSecond = newest.segments.map((segment, at) => {
    const earlier = past.segments[at]
    // Counters restart when a namespace is opened again.
    return earlier === undefined ? 0 : Math.max(0, operations(segment) - operations(earlier)) / seconds
  })
  return { newest, perSecond }
}
