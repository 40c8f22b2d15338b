import type { LabClaim } from '../../api/types'
import { t } from '../../language/text'

/** Whether a claim holds. */
export function Verdict({ holds }: Pick<LabClaim, 'holds'>) {
  return <span className={`badge ${holds ? 'good' : 'bad'}`}>{holds ? t('✓ holds') : t('✗ does not hold')}</span>
}
