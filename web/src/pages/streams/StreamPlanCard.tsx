import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import type { Plan } from '../query/plan/plan'
import { PlanWords } from '../query/plan/PlanWords'
import { t } from '../../language/text'

interface Props {
  ns: string
  plan: Plan | undefined
  error: unknown
  /** why there is nothing to plan yet */
  problem: string | undefined
  /** whether it begins with a filter that an index could answer */
  filtered: boolean
}

/** The plan of a stream: how its first filters find records. */
export function StreamPlanCard({ ns, plan, error, problem, filtered }: Props) {
  return (
    <Card title={t('Plan')} aside={t('how the stream finds its records')}>
      {problem !== undefined ? (
        <p className="mute">{problem}</p>
      ) : (
        <div className="stack-small">
          {plan === undefined && error === null && <Skeleton lines={2} />}
          <Problem error={error} />
          {plan !== undefined && error === null && <PlanWords ns={ns} plan={plan} filtered={filtered} />}
        </div>
      )}
    </Card>
  )
}
