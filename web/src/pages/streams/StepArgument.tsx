import { AggregateFields } from '../../components/fields/AggregateFields'
import { useInStep } from '../../components/fields/use-in-step'
import { type ReportUnsaid, useReportUnsaid } from '../../components/fields/use-unsaid'
import { WhereFields } from '../../components/fields/WhereFields'
import { aggregateRowsOf } from '../../records/request/aggregate'
import {
  columnsOf,
  columnsText,
  emptyColumn,
  limitText,
  noGroup,
  unnestOf,
  unnestText,
} from '../../records/request/request-fields'
import { figureNames, figuresText, groupingOf, groupingText, sortOf, sortText } from '../../records/request/step-forms'
import type { Step } from '../../records/request/steps'
import { emptyGroup, readWhere, whereText } from '../../records/request/where'
import { NumberField } from '../../ui/NumberField'
import { ColumnRow, ColumnRows } from '../query/fields/ColumnRows'
import { GroupFields } from '../query/fields/GroupFields'
import { OrderFields } from '../query/fields/OrderFields'
import { t } from '../../language/text'
import { boundsWords, ONE_OR_MORE } from '../../ui/number'

/** How many elements a step may keep. */
const KEPT = { min: 1, max: 100_000 }

interface Props {
  step: Step
  /** names that the step can use */
  names: string[]
  onText: (text: string) => void
  onUnsaid: ReportUnsaid
}

/** The argument of a step as fields. */
export function StepArgument({ step, ...rest }: Props) {
  const props = { step, ...rest }
  switch (step.kind) {
    case 'filter':
      return <FilterArgument {...props} />
    case 'map':
      return <MapArgument {...props} />
    case 'flatMap':
      return <FlatMapArgument {...props} />
    case 'sort':
      return <SortArgument {...props} />
    case 'limit':
      return <LimitArgument {...props} />
    case 'reduce':
      return <ReduceArgument {...props} />
    case 'groupBy':
      return <GroupArgument {...props} />
    case 'distinct':
      return <p className="mute small">{t('Passes one of several elements with equal bins.')}</p>
    case 'count':
      return <p className="mute small">{t('Counts the elements.')}</p>
  }
}

function useArgument<T>(
  { step: { id, text }, onText, onUnsaid }: Props,
  read: (text: string) => T,
  write: (value: T) => string | undefined,
): [value: T, change: (next: T) => void] {
  const [value, change, unsaid] = useInStep(text, read, write, onText)
  useReportUnsaid(t('step {id}', { id }), unsaid, onUnsaid)
  return [value, change]
}

function FilterArgument(props: Props) {
  const [group, change] = useArgument(props, (text) => readWhere(text) ?? emptyGroup, whereText)
  return <WhereFields bins={props.names} group={group} onChange={change} />
}

function MapArgument(props: Props) {
  const [columns, change] = useArgument(props, (text) => columnsOf(text) ?? [], columnsText)
  return (
    <ColumnRows
      title={t('Columns')}
      none={t('none yet')}
      one={t('column')}
      bins={props.names}
      rows={columns}
      onChange={change}
    />
  )
}

function FlatMapArgument(props: Props) {
  const [column, change] = useArgument(props, (text) => unnestOf(text) ?? emptyColumn, unnestText)
  return (
    <div className="stack-small">
      <strong className="small">{t('One row per item of')}</strong>
      <ColumnRow
        bins={props.names}
        one={t('list')}
        row={column}
        items
        onChange={change}
        onRemove={() => change(emptyColumn)}
      />
    </div>
  )
}

function SortArgument(props: Props) {
  const [{ order, limit }, change] = useArgument(
    props,
    (text) => sortOf(text) ?? { order: { bin: '', path: '', desc: false }, limit: '' },
    sortText,
  )
  return (
    <>
      <OrderFields bins={props.names} order={order} onChange={(next) => change({ order: next, limit })} />
      <NumberField
        label={t('Keep the first')}
        {...KEPT}
        value={limit}
        placeholder={t('1 to 100,000')}
        onChange={(typed) => change({ order, limit: limitText(typed) })}
        error={limit === '' ? boundsWords(KEPT) : undefined}
      />
    </>
  )
}

function LimitArgument({ step, onText }: Props) {
  return (
    <NumberField
      label={t('Maximum elements')}
      {...ONE_OR_MORE}
      value={step.text}
      onChange={(typed) => onText(limitText(typed))}
    />
  )
}

function ReduceArgument(props: Props) {
  const [rows, change] = useArgument(props, (text) => aggregateRowsOf(text) ?? [], figuresText)
  return (
    <AggregateFields
      bins={props.names}
      none={t('none yet')}
      some={t('of all elements')}
      rows={rows}
      onChange={change}
    />
  )
}

function GroupArgument(props: Props) {
  const [{ group, figures }, change] = useArgument(
    props,
    (text) => groupingOf(text) ?? { group: noGroup, figures: [] },
    groupingText,
  )
  return (
    <>
      <GroupFields
        bins={props.names}
        group={group}
        figures={figureNames(figures)}
        onChange={(next) => change({ group: next, figures })}
      />
      <AggregateFields
        bins={props.names}
        none={t('none: the elements of each group')}
        some={t('of each group')}
        rows={figures}
        onChange={(rows) => change({ group, figures: rows })}
      />
    </>
  )
}
