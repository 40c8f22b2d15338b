import { Link } from '@tanstack/react-router'
import { clock, moment } from '../../format'
import type { Feed } from '../../live/feed'
import type { Mark } from '../../live/frame'
import { useFeedValue } from '../../live/use-feed'
import { isLong } from '../../live/window'
import { Card } from '../../ui/Card'
import { t } from '../../language/text'
import { eventWords } from '../../components/api-words'

const SHOWN = 20

const newestOf = ({ buffer, endMs, windowMs }: Feed): Mark[] =>
  buffer
    .marks(endMs - windowMs, Infinity)
    .slice(-SHOWN)
    .reverse()

/** The newest events of the range: the marks of the charts as a list. Other events render it, not each frame. */
export function EventsCard({ shown, words }: { shown: Feed; words: string }) {
  useFeedValue(shown, () => JSON.stringify(newestOf(shown)))
  const marks = newestOf(shown)
  const time = isLong(shown.stepMs) ? moment : clock
  return (
    <Card title={t('Recent events')} aside={t('last {words}', { words })}>
      {marks.length === 0 ? (
        <p className="mute">
          {t('No events in the last {words}. Index builds, imports and settings changes appear here.', { words })}
        </p>
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
                <span className="badge">{eventWords(kind)}</span>
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
