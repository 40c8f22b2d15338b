import type { ReactNode } from 'react'
import { useConnectionState, useStaleSince } from '../live/use-connection'

/** What the live stream brings. It is dimmed as soon as the stream is lost or silent. */
export function Streamed({ children }: { children: ReactNode }) {
  const isLost = useConnectionState() === 'lost'
  const isStale = useStaleSince() !== undefined
  return <div className={isLost || isStale ? 'stack streamed stale' : 'stack streamed'}>{children}</div>
}
