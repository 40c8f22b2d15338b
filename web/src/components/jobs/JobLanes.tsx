import type { Job, JobLane } from '../../api/types'
import { bytes, count, plural, rate } from '../../format'

const words: Record<JobLane['state'], string> = {
  working: 'working',
  throttled: 'throttled',
  paused: 'paused',
  sending: 'waiting for reader',
}

/** What each worker of a job does, one row per worker. */
export function JobLanes({ job }: { job: Job }) {
  const { lanes = [] } = job
  if (lanes.length === 0) return null
  const fastest = Math.max(...lanes.map(({ ratePerSecond }) => ratePerSecond))
  const inBytes = job.unit === 'bytes'
  return (
    <div className="lanes" tabIndex={0} role="region" aria-label={`Workers of ${job.title}`}>
      <table>
        <caption className="visually-hidden">
          {plural(lanes.length, 'worker')} of {job.title}; parts are segments, ranges of a flat container, or runs of
          blocks of a device
        </caption>
        <thead>
          <tr>
            <th scope="col">worker</th>
            <th scope="col">state</th>
            <th scope="col" className="right">
              part
            </th>
            <th scope="col" className="right">
              {job.unit}
            </th>
            <th scope="col" className="right">
              rate
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
                {item === undefined || items === undefined ? '–' : `${count(item + 1)} of ${count(items)}`}
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
