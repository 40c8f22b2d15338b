import { Link } from '@tanstack/react-router'
import { useMay } from '../../../api/use-may'
import { ms } from '../../scans/cost'
import { asksWords, methodWords, type Plan } from './plan'
import { t } from '../../../language/text'
import { serverText } from '../../../language/server-text'

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
        <strong>{asksWords(plan.method)}</strong>
        {indexes.map((name, at) => (
          <span key={name}>
            {at > 0 && ','} <code>{name}</code>
          </span>
        ))}
        {factsOf(plan)}
      </p>
      <p className="mute">{serverText(plan.reason, plan.said)}</p>
      {others.length > 0 && (
        <p className="num mute" style={{ whiteSpace: 'normal' }}>
          {t('Ways: {value}', {
            value: others
              .map(
                ({ method, index, estimatedMs }) =>
                  `${methodWords(method)}${index === undefined ? '' : ` ${index}`} ≈ ${ms(estimatedMs)}`,
              )
              .join(' · '),
          })}
        </p>
      )}
      {indexes.length === 0 && filtered && creates && (
        <p>
          <Link to="/indexes" search={{ ns, create: true }}>
            {t('Build an index')}
          </Link>{' '}
          <span className="mute">{t('to read fewer records.')}</span>
        </p>
      )}
    </>
  )
}

/** What is known of it, in the order of a sentence. */
const factsOf = ({ estimatedCandidates, segments, terms, estimatedMs }: Plan): string =>
  [
    '',
    ...(estimatedCandidates === undefined
      ? []
      : [t('about {n, plural, one {# candidate} other {# candidates}}', { n: estimatedCandidates })]),
    ...(segments === undefined ? [] : [t('{segments, plural, one {# segment} other {# segments}}', { segments })]),
    ...(terms === undefined ? [] : [t('{terms, plural, one {# term} other {# terms}}', { terms })]),
    ...(estimatedMs === undefined ? [] : [t('about {time}', { time: ms(estimatedMs) })]),
  ].join(' · ')
