import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { explainQuery } from '../../api/explain'
import { useOwnSignal } from '../../components/use-own-signal'
import { useSettled } from '../../components/use-settled'
import { count, plural } from '../../format'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Skeleton } from '../../ui/Skeleton'
import { ms } from '../scans/cost'
import { PlanSteps } from './PlanSteps'
import { actualWords, methodWords, type Plan, readPlan } from './plan'

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

/** Which way would answer, step by step, and what else it could be; on request what each step comes to. */
export function QueryPlanCard({ ns, body, problem }: Props) {
  const valid = problem === undefined
  const settled = useSettled(body)
  const estimate = useQuery({
    queryKey: ['plan', 'query', ns, settled],
    queryFn: async ({ signal }) => readPlan(await explainQuery(ns, settled, { signal })),
    enabled: valid && settled === body,
    placeholderData: keepPreviousData,
  })
  const { begin } = useOwnSignal()
  const analysis = useMutation({
    mutationFn: async (asked: Asked) =>
      readPlan(await explainQuery(asked.ns, asked.body, { analyze: true, signal: begin() })),
  })
  // What was measured belongs to the request that was carried out, and to no later one.
  const measured = analysis.variables?.ns === ns && analysis.variables.body === body
  const plan = (measured ? analysis.data : undefined) ?? estimate.data
  const error = (measured ? analysis.error : null) ?? estimate.error
  const shown = valid && error === null ? plan : undefined
  return (
    <Card
      title="Plan"
      aside={shown?.actual === undefined ? 'before it runs' : 'beside what came of it'}
      end={
        <Button
          small
          disabled={!valid}
          busy={analysis.isPending}
          title="Carries the query out, keeps its records back, and measures each step"
          onClick={() => analysis.mutate({ ns, body })}
        >
          Analyze
        </Button>
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

function PlanWords({ ns, plan, filtered }: { ns: string; plan: Plan; filtered: boolean }) {
  const indexes = plan.indexes ?? (plan.index === undefined ? [] : [plan.index])
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
        : about {count(plan.estimatedCandidates)} candidates in {plural(plan.segments, 'segment')}
        {plan.terms !== undefined && `, ${plural(plan.terms, 'term')}`}, in about {ms(plan.estimatedMs)}.
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
      {indexes.length === 0 && filtered && (
        <p>
          <Link to="/indexes" search={{ ns, create: true }}>
            Build an index
          </Link>{' '}
          <span className="mute">to ask fewer records.</span>
        </p>
      )}
    </>
  )
}
