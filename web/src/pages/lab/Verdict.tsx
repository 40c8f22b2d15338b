import type { LabClaim } from '../../api/types'

/** Whether a claim holds. */
export function Verdict({ holds }: Pick<LabClaim, 'holds'>) {
  return <span className={`badge ${holds ? 'good' : 'bad'}`}>{holds ? '✓ holds' : '✗ does not hold'}</span>
}
