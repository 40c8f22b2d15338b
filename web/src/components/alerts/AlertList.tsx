import type { Alert } from '../../api/types'
import { Ago } from '../../ui/Time'
import { alertKey, stateTone } from './alert-words'

/** Alerts as a list: state, words, since when. */
export function AlertList({ alerts }: { alerts: readonly Alert[] }) {
  return (
    <ul className="list">
      {alerts.map((alert) => (
        <li key={alertKey(alert)}>
          <span>
            <span className={`badge ${stateTone[alert.state]}`}>
              {alert.state === 'ok' ? 'target missed' : alert.state}
            </span>{' '}
            {alert.text}
            {alert.muted && <span className="mute"> (muted)</span>}
          </span>
          <span className="num mute">
            <Ago time={alert.since} />
          </span>
        </li>
      ))}
    </ul>
  )
}
