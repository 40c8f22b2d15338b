import { useEffect, useRef, useState } from 'react'
import { useInStep } from '../../components/fields/use-in-step'
import { type ReportUnsaid, useReportUnsaid } from '../../components/fields/use-unsaid'
import { isEnd, mayGo, namesAt, newStep, readSteps, type Step, stepsText } from '../../records/request/steps'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { StepRow } from './StepRow'
import type { StepProblem } from './step-problem'
import { t } from '../../language/text'
import { Say } from '../../language/Say'

/** Most steps that the engine accepts. */
const MOST = 32

interface Props {
  bins: readonly string[]
  /** JSON text */
  text: string
  refused: StepProblem | undefined
  onText: (text: string) => void
  onUnsaid: ReportUnsaid
}

/** The steps of a stream in order. The keyboard can also add, move and remove them. */
export function StepList({ bins, text, refused, onText, onUnsaid }: Props) {
  const [steps, change, unsaid] = useInStep(text, (next) => readSteps(next) ?? [], stepsText, onText)
  useReportUnsaid('steps', unsaid, onUnsaid)
  const list = useRef<HTMLDivElement>(null)
  /** the element to focus after render; a new object each time */
  const [next, setNext] = useState<{ selector: string }>()
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (next !== undefined) list.current?.querySelector<HTMLElement>(next.selector)?.focus()
  }, [next])

  const add = (): void => {
    const step = newStep('filter')
    const end = steps.at(-1)
    change(end !== undefined && isEnd(end.kind) ? [...steps.slice(0, -1), step, end] : [...steps, step])
    setNext({ selector: `[data-step="${step.id}"] :is(select, .choice-box)` })
  }
  const move = (from: number, to: number): void => {
    const moved = steps.toSpliced(from, 1).toSpliced(to, 0, ...steps.slice(from, from + 1))
    change(moved)
    const way = to < from ? 'up' : 'down'
    const on = mayGo(moved, to, 2 * to - from) ? way : way === 'up' ? 'down' : 'up'
    setNext({ selector: `[data-step="${steps[from]?.id}"] [data-part="${on}"]` })
    setSaid(
      t('{kind} moved to step {to} of {steps}', { kind: steps[from]?.kind ?? '', to: to + 1, steps: steps.length }),
    )
  }
  const remove = (at: number): void => {
    change(steps.toSpliced(at, 1))
    const beside = steps[at + 1] ?? steps[at - 1]
    setNext({
      selector: beside === undefined ? '[data-part="add"]' : `[data-step="${beside.id}"] :is(select, .choice-box)`,
    })
    setSaid(t('{kind} removed', { kind: steps[at]?.kind ?? '' }))
  }
  const row = (step: Step, at: number) => (
    <StepRow
      key={step.id}
      step={step}
      at={at}
      last={at === steps.length - 1}
      names={namesAt(steps, at, bins)}
      refused={refused?.at === at ? refused : undefined}
      onUp={mayGo(steps, at, at - 1) ? () => move(at, at - 1) : undefined}
      onDown={mayGo(steps, at, at + 1) ? () => move(at, at + 1) : undefined}
      onChange={(changed) => change(steps.with(at, changed))}
      onRemove={() => remove(at)}
      onUnsaid={onUnsaid}
    />
  )
  return (
    <div ref={list} className="stack-small" role="group" aria-label={t('Steps')}>
      <div className="spread">
        <strong className="small">{t('Steps')}</strong>
        <span className="mute small">{steps.length === 0 ? t('none: the records unchanged') : ''}</span>
      </div>
      {steps.length > 0 && <ol className="stream-steps">{steps.map(row)}</ol>}
      <div>
        <Button small data-part="add" disabled={steps.length >= MOST} onClick={add}>
          <Say text="{icon}Add a step" values={{ icon: <Icon name="plus" /> }} />
        </Button>
      </div>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </div>
  )
}
