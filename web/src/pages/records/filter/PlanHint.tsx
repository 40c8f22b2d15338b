import { Link } from '@tanstack/react-router'
import { useMay } from '../../../api/use-may'
import type { Plan } from '../../query/plan/plan'
import { hintOf } from './hint'
import { t } from '../../../language/text'

/** What a list costs, with a way to make it cost less. */
export function PlanHint({ ns, plan }: { ns: string; plan: Plan }) {
  const creates = useMay()('createIndex', { namespace: ns })
  const { tone, text } = hintOf(plan)
  return (
    <span className={`small plan-hint ${tone}`}>
      {text}
      {tone === 'warn' && creates && (
        <>
          {' '}
          <Link to="/indexes" search={{ ns, create: true }}>
            {t('Build an index')}
          </Link>
        </>
      )}
    </span>
  )
}
