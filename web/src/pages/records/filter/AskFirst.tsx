import { Button } from '../../../ui/Button'
import { Empty } from '../../../ui/Empty'
import type { Plan } from '../../query/plan/plan'
import { PlanHint } from './PlanHint'

/** Says what a list will read, and waits. */
export function AskFirst({ ns, plan, onGoAhead }: { ns: string; plan: Plan; onGoAhead: () => void }) {
  return (
    <Empty
      title="This search reads much"
      action={
        <Button look="primary" onClick={onGoAhead}>
          Search now
        </Button>
      }
    >
      <PlanHint ns={ns} plan={plan} /> It runs in the background, and you can stop it.
    </Empty>
  )
}
