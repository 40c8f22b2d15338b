import type { Range } from '../../../charts/spec/spec'
import type { LiveView } from '../../../live/view'

/** The equal span before another. */
export const spanBefore = ({ from, to }: Range): Range => ({ from: from - (to - from), to: from })

/** Whether the feed has a span and the equal one before it. An address can name one that lies further back. */
export function isHeld({ feed }: LiveView, range: Range): boolean {
  return spanBefore(range).from >= feed.endMs - 2 * feed.windowMs - feed.stepMs && range.to <= feed.endMs
}
