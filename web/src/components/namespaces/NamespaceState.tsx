import { stateWords } from '../state-words'
import type { Namespace } from '../../api/types'
import { t } from '../../language/text'
import { Tip } from '../../ui/Tip'
import { serverText } from '../../language/server-text'

const tones: Record<Namespace['state'], string> = {
  ready: 'good',
  recovering: 'warn',
  'read-only': 'warn',
  poisoned: 'bad',
  failed: 'bad',
}

/** The state of a namespace as a badge; its tip has the reason. */
export function NamespaceState({ namespace: { state, stateReason, stateSaid, limits } }: { namespace: Namespace }) {
  const stopped = state === 'ready' && limits?.writesStopped === true
  const reason = stateReason === undefined ? undefined : serverText(stateReason, stateSaid)
  return (
    <Tip text={stopped ? serverText(limits.reason ?? '', limits.said) : reason}>
      <span className={`badge ${stopped ? 'bad' : tones[state]}`}>
        {stopped ? t('writes stopped') : stateWords(state)}
      </span>
    </Tip>
  )
}
