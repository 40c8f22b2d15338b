import type { Job, JobLane } from '../../api/types'
import { bytes, count, rate } from '../../format'
import { t } from '../../language/text'
import { unitWords } from '../api-words'
import { jobTitle } from './job-title'

const words: Record<JobLane['state'], string> = {
  working: 'working',
  throttled: 'throttled',
  paused: 'paused',
  sending: t('waiting for reader'),
}

/** What each worker of a job does, one row per worker. */
export function JobLanes({ job }: { job: Job }) {
  const { lanes = [] } = job
  if (lanes.length === 0) return null
  const fastest = Math.max(...lanes.map(({ ratePerSecond }) => ratePerSecond))
  const inBytes = job.unit === 'bytes'
  return (
    <div
      className="lanes"
      tabIndex={0}
      role="region"
      aria-label={t('Workers of {title}', { title: jobTitle(job.title) })}
    >
      <table>
        <caption className="visually-hidden">
          {t(
            '{lanes, plural, one {# worker} other {# workers}} of {title}; parts are segments, ranges of a flat container, or runs of blocks of a device',
            { lanes: lanes.length, title: jobTitle(job.title) },
          )}
        </caption>
        <thead>
          <tr>
            <th scope="col">{t('worker')}</th>
            <th scope="col">{t('state')}</th>
            <th scope="col" className="right">
              {t('part')}
            </th>
            <th scope="col" className="right">
              {unitWords(job.unit)}
            </th>
            <th scope="col" className="right">
              {t('rate')}
            </th>
            <td className="bar" />
          </tr>
        </thead>
        <tbody>
          {lanes.map(({ worker, state, item, items, done, ratePerSecond }) => (
            <tr key={worker}>
              <th scope="row">{worker + 1}</th>
              <td className={state === 'working' ? 'mute' : 'warn'}>{words[state]}</td>
              <td className="right">
                {item === undefined || items === undefined
                  ? '–'
                  : t('{item} of {items}', { item: count(item + 1), items: count(items) })}
              </td>
              <td className="right">{inBytes ? bytes(done) : count(done)}</td>
              <td className="right">{inBytes ? `${bytes(ratePerSecond)}/s` : rate(ratePerSecond)}</td>
              <td className="bar" aria-hidden="true">
                <i>
                  <b style={{ width: `${fastest > 0 ? (ratePerSecond / fastest) * 100 : 0}%` }} />
                </i>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
