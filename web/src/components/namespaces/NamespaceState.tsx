import { stateWords } from '../state-words'
import type { Namespace } from '../../api/types'
import { t } from '../../language/text'

const tones: Record<Namespace['state'], string> = {
  ready: 'good',
  recovering: 'warn',
  'read-only': 'warn',
  poisoned: 'bad',
  failed: 'bad',
}

/** The state of a namespace as a badge; the reason is in its title. */
export function NamespaceState({ namespace: { state, stateReason, limits } }: { namespace: Namespace }) {
  const stopped = state === 'ready' && limits?.writesStopped === true
  return (
    <span className={`badge ${stopped ? 'bad' : tones[state]}`} title={stopped ? limits.reason : stateReason}>
      {stopped ? t('writes stopped') : stateWords(state)}
    </span>
  )
}
