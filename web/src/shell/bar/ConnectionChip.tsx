import { useConnection, useStaleSince } from '../../live/use-connection'
import { t, tIn } from '../../language/text'
import { Tip } from '../../ui/Tip'

/** Whether live data arrives, and how old the newest is. */
export function ConnectionChip() {
  const { state, ageSeconds } = useConnection()
  const age = ageSeconds === undefined ? '' : ageSeconds < 1 ? ' · < 1 s' : ` · ${ageSeconds} s`
  const isLate = useStaleSince() !== undefined
  const tone = state === 'lost' ? 'bad' : isLate ? 'warn' : state === 'live' ? 'good' : ''
  const text = state === 'lost' ? t('reconnecting') : state === 'live' ? tIn('connection', 'live') : t('connecting')
  return (
    <Tip text={t('Age of the newest frame of /api/v1/live')}>
      <span className={`chip connection ${tone}`}>
        <span>{text}</span>
        <span className="num" aria-hidden="true">
          {age}
        </span>
      </span>
    </Tip>
  )
}
