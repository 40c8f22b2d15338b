import { Link } from '@tanstack/react-router'
import { useMay } from '../../../api/use-may'
import { plural } from '../../../format'
import { ms } from '../../scans/cost'
import { methodWords, type Plan } from './plan'

interface Props {
  ns: string
  plan: Plan
  /** whether an index could reduce the records read */
  filtered: boolean
}

/** A plan in words: the method, its reason, and the alternatives. */
export function PlanWords({ ns, plan, filtered }: Props) {
  const indexes = plan.indexes ?? (plan.index === undefined ? [] : [plan.index])
  const creates = useMay()('createIndex', { namespace: ns })
  const others = plan.alternatives ?? []
  return (
    <>
      <p>
        Asks <strong>{methodWords(plan.method)}</strong>
        {indexes.map((name, at) => (
          <span key={name}>
            {at > 0 && ','} <code>{name}</code>
          </span>
        ))}
        {plan.estimatedCandidates !== undefined && `: about ${plural(plan.estimatedCandidates, 'candidate')}`}
        {plan.segments !== undefined && ` in ${plural(plan.segments, 'segment')}`}
        {plan.terms !== undefined && `, ${plural(plan.terms, 'term')}`}
        {plan.estimatedMs !== undefined && `, in about ${ms(plan.estimatedMs)}`}.
      </p>
      <p className="mute">{plan.reason}</p>
      {others.length > 0 && (
        <p className="num mute" style={{ whiteSpace: 'normal' }}>
          {'Ways: '}
          {others
            .map(
              ({ method, index, estimatedMs }) =>
                `${methodWords(method)}${index === undefined ? '' : ` ${index}`} ≈ ${ms(estimatedMs)}`,
            )
            .join(' · ')}
        </p>
      )}
      {indexes.length === 0 && filtered && creates && (
        <p>
          <Link to="/indexes" search={{ ns, create: true }}>
            Build an index
          </Link>{' '}
          <span className="mute">to read fewer records.</span>
        </p>
      )}
    </>
  )
}
