import { Button } from '../../../ui/Button'
import { Empty } from '../../../ui/Empty'
import type { Plan } from '../../query/plan/plan'
import { PlanHint } from './PlanHint'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'

/** Says what a list will read, and waits. */
export function AskFirst({ ns, plan, onGoAhead }: { ns: string; plan: Plan; onGoAhead: () => void }) {
  return (
    <Empty
      title={t('This search reads much')}
      action={
        <Button look="primary" onClick={onGoAhead}>
          {t('Search now')}
        </Button>
      }
    >
      <Say
        text="{planhint} It runs in the background, and you can stop it."
        values={{ planhint: <PlanHint ns={ns} plan={plan} /> }}
      />
    </Empty>
  )
}
