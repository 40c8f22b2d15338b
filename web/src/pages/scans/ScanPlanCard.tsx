import { count } from '../../format'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { ms } from './cost'
import { methodWords, readsWords } from './methods'
import type { PlanState } from './use-scan-plan'
import { t } from '../../language/text'
import { serverText } from '../../language/server-text'

/** The plan of this scan. */
export function ScanPlanCard({ plan, error }: PlanState) {
  return (
    <Card title={t('Plan')} aside={t('what the engine would do')}>
      {plan === undefined && error === null && <Skeleton lines={2} />}
      <Problem error={error} />
      {plan !== undefined && error === null && (
        <div className="stack-small">
          <p>
            <strong>{readsWords(plan.method)}</strong>
            {factsOf(plan)}
          </p>
          <p className="mute">{serverText(plan.reason)}</p>
          {plan.alternatives.length > 0 && (
            <p className="num mute" style={{ whiteSpace: 'normal' }}>
              {plan.alternatives
                .map(({ method, estimatedMs }) => `${methodWords(method)} ≈ ${ms(estimatedMs)}`)
                .join(' · ')}
            </p>
          )}
        </div>
      )}
    </Card>
  )
}

/** What is known of it, in the order of a sentence. */
const factsOf = ({
  estimatedRecords,
  namespaceRecords,
  segments,
  threads,
  estimatedMs,
}: NonNullable<PlanState['plan']>): string =>
  [
    '',
    ...(estimatedRecords === undefined || namespaceRecords === undefined
      ? []
      : [
          t('about {some} of {all, plural, one {# record} other {# records}}', {
            some: count(estimatedRecords),
            all: namespaceRecords,
          }),
        ]),
    ...(segments === undefined ? [] : [t('{segments, plural, one {# segment} other {# segments}}', { segments })]),
    t('{threads, plural, one {# thread} other {# threads}}', { threads }),
    ...(estimatedMs === undefined ? [] : [t('about {time}', { time: ms(estimatedMs) })]),
  ].join(' · ')
