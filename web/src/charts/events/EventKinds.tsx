import { useSyncExternalStore } from 'react'
import { eventWords } from '../../components/api-words'
import { t } from '../../language/text'
import { eventLog } from '../../live/event-log'
import type { MenuAction } from '../../ui/Menu'

const read = () => eventLog.kinds
const readHidden = () => eventLog.hidden

/** The kinds of events, and those that are switched off on the charts of the page. */
function useKinds() {
  const kinds = useSyncExternalStore(eventLog.subscribe, read)
  const hidden = useSyncExternalStore(eventLog.subscribe, readHidden)
  const toggle = (kind: string): void =>
    eventLog.hide(hidden.includes(kind) ? hidden.filter((one) => one !== kind) : [...hidden, kind])
  return { kinds, hidden, toggle }
}

/** Switches kinds of events off and on. */
export function EventKinds() {
  const { kinds, hidden, toggle } = useKinds()
  if (kinds.length <= 1) return null
  return (
    <div className="legend event-kinds" role="group" aria-label={t('Kinds of events')}>
      {kinds.map((kind) => (
        <button key={kind} type="button" aria-pressed={!hidden.includes(kind)} onClick={() => toggle(kind)}>
          {eventWords(kind)}
        </button>
      ))}
    </div>
  )
}

/** The same in the menu of a chart. */
export function useKindActions(): MenuAction[] {
  const { kinds, hidden, toggle } = useKinds()
  return kinds.map((kind) => ({
    text: hidden.includes(kind)
      ? t('Show events: {kind}', { kind: eventWords(kind) })
      : t('Hide events: {kind}', { kind: eventWords(kind) }),
    act: () => toggle(kind),
  }))
}
