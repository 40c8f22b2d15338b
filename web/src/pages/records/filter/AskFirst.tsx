import { Button } from '../../../ui/Button'
import type { Asked } from '../../../records/found'
import { Empty } from '../../../ui/Empty'
import type { Plan } from '../../query/plan/plan'
import { PlanHint } from './PlanHint'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'

interface Props {
  ns: string
  set: string
  asked: Asked
  plan: Plan
  onGoAhead: () => void
}

/** Says what a list will read, and waits. */
export function AskFirst({ onGoAhead, ...list }: Props) {
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
        values={{ planhint: <PlanHint {...list} /> }}
      />
    </Empty>
  )
}
