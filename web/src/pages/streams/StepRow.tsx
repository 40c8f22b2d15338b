import { useRef, useState } from 'react'
import type { ReportUnsaid } from '../../components/fields/use-unsaid'
import { JsonField } from '../../editor/JsonField'
import { fieldsShow, hasFields } from '../../records/request/step-forms'
import {
  betweenKinds,
  endKinds,
  isEnd,
  newStep,
  type Step,
  type StepKind,
  stepProblem,
} from '../../records/request/steps'
import { faultOf } from '../../records/json-scan'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { type Choice, SmallSelect } from '../../ui/inputs'
import { StepArgument } from './StepArgument'
import type { StepProblem } from './step-problem'
import { t } from '../../language/text'

const words: Record<StepKind, string> = {
  filter: t('keep matching elements'),
  map: t('choose columns'),
  flatMap: t('one row per list item'),
  distinct: t('drop duplicates'),
  sort: t('sort, and keep the first'),
  limit: t('keep the first'),
  count: t('count elements'),
  reduce: 'figures',
  groupBy: 'groups',
}

const choicesOf = (kinds: readonly StepKind[]): Choice<StepKind>[] =>
  kinds.map((kind) => ({ value: kind, label: `${kind}: ${words[kind]}` }))

interface Props {
  step: Step
  /** its place, from 0, and whether it is the last */
  at: number
  last: boolean
  names: string[]
  /** the engine's objection to it */
  refused: StepProblem | undefined
  /** undefined if it cannot move there */
  onUp: (() => void) | undefined
  onDown: (() => void) | undefined
  onChange: (step: Step) => void
  onRemove: () => void
  onUnsaid: ReportUnsaid
}

/** A step of a stream: its kind, its argument, its place. */
export function StepRow({ step, at, last, names, refused, onUp, onDown, onChange, onRemove, onUnsaid }: Props) {
  const { kind, text } = step
  const [asJson, setAsJson] = useState(() => !fieldsShow(step))
  const json = hasFields(kind) ? asJson : (kind === 'distinct' || kind === 'count') && text !== 'true'
  /** arguments of its former kinds, because one arrow key on the select changes the kind */
  const texts = useRef<Partial<Record<StepKind, string>>>({})
  const number = at + 1
  const problem = stepProblem(step)
  const change = (next: StepKind): void => {
    texts.current[kind] = text
    const changed = { ...newStep(next, texts.current[next]), id: step.id }
    setAsJson(!fieldsShow(changed))
    onChange(changed)
  }
  return (
    <li className={refused === undefined ? 'stream-step' : 'stream-step refused'} data-step={step.id}>
      <div className="stream-step-head">
        <span className="num mute" aria-hidden="true">
          {number}
        </span>
        <SmallSelect
          label={t('Kind of step {number}', { number })}
          value={kind}
          choices={choicesOf(last || isEnd(kind) ? [...betweenKinds, ...endKinds] : betweenKinds)}
          onChange={change}
        />
        <span className="buttons">
          {hasFields(kind) && (
            <Button
              look="quiet"
              small
              aria-pressed={asJson}
              aria-label={t('Step {number} as JSON', { number })}
              disabled={asJson && !fieldsShow(step)}
              onClick={() => setAsJson(!asJson)}
            >
              {'{ }'}
            </Button>
          )}
          <Button
            look="quiet"
            data-part="up"
            aria-label={t('Move step {number} up', { number })}
            disabled={!onUp}
            onClick={onUp}
          >
            <Icon name="up" />
          </Button>
          <Button
            look="quiet"
            data-part="down"
            aria-label={t('Move step {number} down', { number })}
            disabled={!onDown}
            onClick={onDown}
          >
            <Icon name="down" />
          </Button>
          <Button look="quiet" aria-label={t('Remove step {number}', { number })} onClick={onRemove}>
            <Icon name="close" />
          </Button>
        </span>
      </div>
      {json ? (
        <JsonField
          label={t('{kind} as JSON', { kind })}
          value={text}
          rows={Math.min(8, 1 + text.split('\n').length + Math.floor(text.length / 44))}
          onChange={(next) => onChange({ ...step, text: next })}
          fault={text === '' ? undefined : faultOf(text)}
          guide={{ body: { operation: 'stream', member: kind }, bins: names }}
        />
      ) : (
        <StepArgument
          key={kind}
          step={step}
          names={names}
          onText={(next) => onChange({ ...step, text: next })}
          onUnsaid={onUnsaid}
        />
      )}
      {problem !== undefined && <span className="mute small">{problem}</span>}
      {refused !== undefined && (
        <div className="problem" role="alert">
          <code>{refused.code}</code>
          <span>{refused.message}</span>
        </div>
      )}
    </li>
  )
}
