import type { ReactNode } from 'react'
import { useConnectionState } from '../live/use-connection'

/** What the live stream brings. It is dimmed as soon as the stream is lost. */
export function Streamed({ children }: { children: ReactNode }) {
  const isLost = useConnectionState() === 'lost'
  return <div className={isLost ? 'stack streamed stale' : 'stack streamed'}>{children}</div>
}
