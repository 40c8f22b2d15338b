import { useMutation } from '@tanstack/react-query'
import { explainQuery } from '../../../api/explain'
import { useOwnSignal } from '../../../components/use-own-signal'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Problem } from '../../../ui/Problem'
import { Skeleton } from '../../../ui/Skeleton'
import { PlanSteps } from './PlanSteps'
import { actualWords, readPlan } from './plan'
import { PlanWords } from './PlanWords'
import { usePlan } from './use-plan'
import { t } from '../../../language/text'
import { Tip } from '../../../ui/Tip'

interface Props {
  ns: string
  body: string
  /** why there is nothing to plan yet */
  problem: string | undefined
}

interface Asked {
  ns: string
  body: string
}

/** The plan with its steps and alternatives; with Analyze, the results of each step. */
export function QueryPlanCard({ ns, body, problem }: Props) {
  const valid = problem === undefined
  const estimate = usePlan('query', ns, body, valid)
  const { begin } = useOwnSignal()
  const analysis = useMutation({
    mutationFn: async (asked: Asked) =>
      readPlan(await explainQuery(asked.ns, asked.body, { analyze: true, signal: begin() })),
  })
  // Measured results belong to the analysed request only.
  const measured = analysis.variables?.ns === ns && analysis.variables.body === body
  const plan = (measured ? analysis.data : undefined) ?? estimate.data
  const error = (measured ? analysis.error : null) ?? estimate.error
  const shown = valid && error === null ? plan : undefined
  return (
    <Card
      title={t('Plan')}
      aside={shown?.actual === undefined ? t('before the run') : t('with the results of the run')}
      end={
        <Tip text={t('Runs the query, measures each step, and returns no records')}>
          <Button small disabled={!valid} busy={analysis.isPending} onClick={() => analysis.mutate({ ns, body })}>
            {t('Analyze')}
          </Button>
        </Tip>
      }
    >
      <div className="stack-small">
        {plan === undefined && error === null && valid && <Skeleton lines={2} />}
        {valid && <Problem error={error} />}
        {!valid && <p className="mute">{problem}</p>}
        {shown !== undefined && <PlanWords ns={ns} plan={shown} filtered={body.includes('"where"')} />}
        <p className="num" style={{ whiteSpace: 'normal' }} role="status">
          {shown?.actual !== undefined && actualWords(shown.actual)}
        </p>
        {shown !== undefined && shown.steps.length > 0 && (
          <PlanSteps steps={shown.steps} analyzed={shown.actual !== undefined} />
        )}
      </div>
    </Card>
  )
}
