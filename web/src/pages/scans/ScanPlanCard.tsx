import { count, plural } from '../../format'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { ms } from './cost'
import { methodWords } from './methods'
import type { PlanState } from './use-scan-plan'

/** The plan of this scan. */
export function ScanPlanCard({ plan, error }: PlanState) {
  return (
    <Card title="Plan" aside="what the engine would do">
      {plan === undefined && error === null && <Skeleton lines={2} />}
      <Problem error={error} />
      {plan !== undefined && error === null && (
        <div className="stack-small">
          <p>
            Reads <strong>{methodWords(plan.method)}</strong>
            {plan.estimatedRecords !== undefined &&
              plan.namespaceRecords !== undefined &&
              `: about ${count(plan.estimatedRecords)} of ${plural(plan.namespaceRecords, 'record')}`}
            {plan.segments !== undefined && `, ${plural(plan.segments, 'segment')}`}
            {` on ${plural(plan.threads, 'thread')}`}
            {plan.estimatedMs !== undefined && `, in about ${ms(plan.estimatedMs)}`}.
          </p>
          <p className="mute">{plan.reason}</p>
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
