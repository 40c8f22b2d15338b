import { Link } from '@tanstack/react-router'
import { clock } from '../../format'
import type { FrameBuffer } from '../../live/buffer'
import { Card } from '../../ui/Card'

const SHOWN = 20

/** Recent events: the marks of the charts as a list. */
export function EventsCard({ live: { buffer, endMs } }: { live: { buffer: FrameBuffer; endMs: number } }) {
  const marks = buffer
    .marks(endMs - buffer.keepMs, endMs + 60_000)
    .slice(-SHOWN)
    .reverse()
  return (
    <Card title="Recent events" aside="the markers of the live chart">
      {marks.length === 0 ? (
        <p className="mute">No events in the last half hour. Index builds, imports and settings changes appear here.</p>
      ) : (
        <ul className="list">
          {marks.map(({ timeMs, kind, text, jobId }) => (
            <li key={`${timeMs}${text}`}>
              <span>
                {jobId === undefined ? (
                  text
                ) : (
                  <Link to="/jobs" search={{ id: jobId }}>
                    {text}
                  </Link>
                )}{' '}
                <span className="badge">{kind}</span>
              </span>
              <time className="num mute" dateTime={new Date(timeMs).toISOString()}>
                {clock(timeMs)}
              </time>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
