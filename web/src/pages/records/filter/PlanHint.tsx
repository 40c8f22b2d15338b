import { Link } from '@tanstack/react-router'
import { useMay } from '../../../api/use-may'
import type { Asked } from '../../../records/found'
import type { Plan } from '../../query/plan/plan'
import { hintOf } from './hint'
import { wantedIndex } from './wanted-index'
import { t } from '../../../language/text'

interface Props {
  ns: string
  set: string
  asked: Asked
  plan: Plan
}

/** What a list costs, with a way to make it cost less. */
export function PlanHint({ ns, set, asked, plan }: Props) {
  const creates = useMay()('createIndex', { namespace: ns })
  const { tone, text } = hintOf(plan)
  const index = tone === 'warn' ? wantedIndex(asked) : undefined
  return (
    <span className={`small plan-hint ${tone}`}>
      {text}
      {index !== undefined && creates && (
        <>
          {' '}
          <Link to="/indexes" search={{ ns, create: true, ...index, ...(set !== '' && { set }) }}>
            {t('Build an index for this')}
          </Link>
        </>
      )}
    </span>
  )
}
