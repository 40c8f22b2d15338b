import { Link } from '@tanstack/react-router'
import { clock, moment } from '../../format'
import type { Feed } from '../../live/feed'
import { isLong } from '../../live/window'
import { Card } from '../../ui/Card'

const SHOWN = 20

/** The newest events of the range: the marks of the charts as a list. */
export function EventsCard({ shown: { buffer, endMs, windowMs, stepMs }, words }: { shown: Feed; words: string }) {
  const time = isLong(stepMs) ? moment : clock
  const marks = buffer
    .marks(endMs - windowMs, Infinity)
    .slice(-SHOWN)
    .reverse()
  return (
    <Card title="Recent events" aside={`last ${words}`}>
      {marks.length === 0 ? (
        <p className="mute">No events in the last {words}. Index builds, imports and settings changes appear here.</p>
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
                {time(timeMs)}
              </time>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
