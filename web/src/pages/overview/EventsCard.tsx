import { Link } from '@tanstack/react-router'
import { clock } from '../../format'
import type { Feed } from '../../live/feed'
import type { Mark } from '../../live/frame'
import { useFeedValue } from '../../live/use-feed'
import { Card } from '../../ui/Card'

const SHOWN = 20

const newestOf = ({ buffer, endMs }: Feed): Mark[] =>
  buffer
    .marks(endMs - buffer.keepMs, endMs + 60_000)
    .slice(-SHOWN)
    .reverse()

/** Recent events: the marks of the charts as a list. Other events render it, not each frame. */
export function EventsCard({ live }: { live: Feed }) {
  useFeedValue(live, () => JSON.stringify(newestOf(live)))
  const marks = newestOf(live)
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
