import type { Namespace } from '../api/types'

const tones: Record<Namespace['state'], string> = {
  ready: 'good',
  recovering: 'warn',
  'read-only': 'warn',
  poisoned: 'bad',
  failed: 'bad',
}

/** The state of a namespace as a badge; why it is so is in its title. */
export function NamespaceState({ namespace: { state, stateReason } }: { namespace: Namespace }) {
  return (
    <span className={`badge ${tones[state]}`} title={stateReason}>
      {state}
    </span>
  )
}
