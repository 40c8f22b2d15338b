import { useState } from 'react'
import type { Alert } from '../../api/types'
import { Button } from '../../ui/Button'
import { Ago } from '../../ui/Time'
import { count } from '../../format'
import { alertKey, stateTone } from './alert-words'
import { t } from '../../language/text'
import { stateWords } from '../state-words'
import { serverText } from '../../language/server-text'

/** A list begins with so many: a thousand can fire together. */
const FIRST = 20

/** Alerts as a list: state, words, since when. */
export function AlertList({ alerts }: { alerts: readonly Alert[] }) {
  const [all, setAll] = useState(false)
  const shown = all ? alerts : alerts.slice(0, FIRST)
  return (
    <>
      <ul className="list">
        {shown.map((alert) => (
          <li key={alertKey(alert)}>
            <span>
              <span className={`badge ${stateTone[alert.state]}`}>
                {alert.state === 'ok' ? t('target missed') : stateWords(alert.state)}
              </span>{' '}
              {serverText(alert.text, alert.said)}
              {alert.muted && <span className="mute"> {t('(muted)')}</span>}
            </span>
            <span className="num mute">
              <Ago time={alert.since} />
            </span>
          </li>
        ))}
      </ul>
      {alerts.length > FIRST && (
        <p>
          <Button small onClick={() => setAll(!all)}>
            {all
              ? t('Show the first {first}', { first: FIRST })
              : t('Show all {alerts}', { alerts: count(alerts.length) })}
          </Button>
        </p>
      )}
    </>
  )
}
