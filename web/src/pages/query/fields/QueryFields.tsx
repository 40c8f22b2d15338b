import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { indexesQuery } from '../../../api/indexes'
import { setQuery } from '../../../api/sets'
import type { RecordSet } from '../../../api/types'
import type { Index } from '../../../api/types'
import { AggregateFields } from '../../../components/fields/AggregateFields'
import { useBinNames } from '../../../components/fields/use-sample'
import { NamespacePicker, SetPicker } from '../../../components/fields/pickers'
import { RunForm } from '../../../components/fields/RunForm'
import { useInStep } from '../../../components/fields/use-in-step'
import { type ReportUnsaid, useReportUnsaid } from '../../../components/fields/use-unsaid'
import { WhereFields } from '../../../components/fields/WhereFields'
import { aggregateProblem, aggregateRowsOf, aggregateText } from '../../../records/request/aggregate'
import { isExactObject } from '../../../records/json'
import {
  isShown,
  keptMembers,
  memberText,
  readRequest,
  type Request,
  withMember,
} from '../../../records/request/request'
import {
  columnsOf,
  columnsText,
  emptyColumn,
  groupOf,
  groupText,
  limitText,
  noGroup,
  orderOf,
  orderText,
  routeOf,
  routeText,
  unnestOf,
  unnestText,
  indexUseOf,
  indexUseText,
} from '../../../records/request/request-fields'
import { emptyGroup, readWhere, whereText } from '../../../records/request/where'
import { SelectField, TextField } from '../../../ui/inputs'
import { NumberField } from '../../../ui/NumberField'
import { ColumnRow, ColumnRows } from './ColumnRows'
import { GroupFields } from './GroupFields'
import { OrderFields } from './OrderFields'
import { indexChoices, withFittingIndex } from './index-choices'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'

interface Props {
  ns: string
  /** JSON text */
  request: string
  /** whether the request is complete and in sync with the form */
  valid: boolean
  running: boolean
  onNamespace: (ns: string, request: string) => void
  onRequest: (request: string) => void
  onUnsaid: ReportUnsaid
  onRun: () => void
  onStop: () => void
}

/** The request as a form. Members that it cannot show are kept and listed. */
export function QueryFields({
  ns,
  request: text,
  valid,
  running,
  onNamespace,
  onRequest,
  onUnsaid,
  onRun,
  onStop,
}: Props) {
  const request = readRequest(text)
  return (
    <RunForm action={t('Run query')} valid={valid} running={running} onRun={onRun} onStop={onStop}>
      <NamespacePicker
        value={ns}
        onChange={(next) =>
          onNamespace(next, request === undefined ? text : withFittingIndex(withMember(request, 'set', ''), []))
        }
      />
      {request === undefined ? (
        <p className="note small" role="status">
          {t('Enter a valid JSON object to update the form.')}
        </p>
      ) : (
        <Members ns={ns} request={request} onRequest={onRequest} onUnsaid={onUnsaid} />
      )}
    </RunForm>
  )
}

interface MembersProps {
  ns: string
  request: Request
  onRequest: (request: string) => void
  onUnsaid: ReportUnsaid
}

function Members({ ns, request, onRequest, onUnsaid }: MembersProps) {
  const { set: named } = request
  const set = typeof named === 'string' ? named : undefined
  const bins = useBinNames(ns, set)
  const distributionBin = useQuery(setQuery(ns, set)).data?.distributionBin
  const indexes = useQuery(indexesQuery(ns)).data?.items
  const field = (name: string) => ({
    text: memberText(request, name),
    onText: (text: string) => onRequest(withMember(request, name, text)),
    onUnsaid,
  })
  /** Figures cover all matching records, so they have no limit. */
  const figures = (name: string) => ({
    text: memberText(request, name),
    onText: (text: string) => {
      const next = withMember(request, name, text)
      onRequest(text === '' ? next : withMember(readRequest(next) ?? request, 'limit', ''))
    },
    onUnsaid,
  })
  // Groups without aggregates get the number of their records.
  const asked = isExactObject(request['aggregate']) ? Object.keys(request['aggregate']) : ['records']
  const shown = (name: string, fields: ReactNode) => (isShown(request, name) || !(name in request) ? fields : null)
  const kept = keptMembers(request)
  const chooseSet = (next: string | undefined, known?: RecordSet): void => {
    const chosen = withMember(request, 'set', next === undefined ? '' : JSON.stringify(next))
    const read = readRequest(chosen)
    // A set without a distribution bin has no routes.
    const sent = known?.distributionBin === undefined && read !== undefined ? withMember(read, 'route', '') : chosen
    onRequest(indexes === undefined ? sent : withFittingIndex(sent, indexes))
  }
  return (
    <>
      <SetPicker ns={ns} value={set} absent="all sets" onChange={chooseSet} />
      <WhereMember bins={bins} {...field('where')} />
      {shown('select', <SelectMember bins={bins} {...field('select')} />)}
      {shown('unnest', <UnnestMember bins={bins} {...field('unnest')} />)}
      {shown('order', <OrderMember bins={bins} {...field('order')} />)}
      {shown('group', <GroupMember bins={bins} figures={asked} {...figures('group')} />)}
      {shown('aggregate', <AggregateMember bins={bins} {...figures('aggregate')} />)}
      {distributionBin !== undefined && shown('route', <RouteMember bin={distributionBin} {...field('route')} />)}
      {shown('useIndex', <UseIndexMember indexes={indexes} set={set} {...field('useIndex')} />)}
      {('limit' in request || !('group' in request || 'aggregate' in request)) &&
        shown('limit', <LimitMember {...field('limit')} />)}
      {kept.length > 0 && (
        <p className="note small">
          <Say
            text="Only the JSON shows <code>{names}</code>; the form keeps {n, plural, one {it} other {them}}."
            values={{ names: kept.join(', '), n: kept.length }}
          />
        </p>
      )}
    </>
  )
}

interface Member {
  text: string
  onText: (text: string) => void
  onUnsaid: ReportUnsaid
}
type BinMember = Member & { bins: string[] }

function WhereMember({ bins, text, onText, onUnsaid }: BinMember) {
  const [group, change, unsaid] = useInStep(text, (where) => readWhere(where) ?? emptyGroup, whereText, onText)
  useReportUnsaid('where', unsaid, onUnsaid)
  return <WhereFields bins={bins} group={group} onChange={change} />
}

function SelectMember({ bins, text, onText, onUnsaid }: BinMember) {
  const [columns, change, unsaid] = useInStep(text, (select) => columnsOf(select) ?? [], columnsText, onText)
  useReportUnsaid('select', unsaid, onUnsaid)
  return (
    <ColumnRows
      title={t('Columns')}
      none={t('all bins')}
      one={t('column')}
      bins={bins}
      rows={columns}
      onChange={change}
    />
  )
}

function UnnestMember({ bins, text, onText, onUnsaid }: BinMember) {
  const [column, change, unsaid] = useInStep(text, (unnest) => unnestOf(unnest) ?? emptyColumn, unnestText, onText)
  useReportUnsaid('unnest', unsaid, onUnsaid)
  return (
    <div className="stack-small">
      <div className="spread">
        <strong className="small">{t('One row per item of')}</strong>
        <span className="mute small">{column.bin === '' ? t('none: one row per record') : ''}</span>
      </div>
      <ColumnRow
        bins={bins}
        one={t('list')}
        row={column}
        items
        onChange={change}
        onRemove={() => change(emptyColumn)}
      />
    </div>
  )
}

function OrderMember({ bins, text, onText, onUnsaid }: BinMember) {
  const [order, change, unsaid] = useInStep(
    text,
    (member) => orderOf(member) ?? { bin: '', path: '', desc: false },
    orderText,
    onText,
  )
  useReportUnsaid('order', unsaid, onUnsaid)
  return <OrderFields bins={bins} order={order} onChange={change} />
}

function GroupMember({ bins, figures, text, onText, onUnsaid }: BinMember & { figures: readonly string[] }) {
  const [group, change, unsaid] = useInStep(text, (member) => groupOf(member) ?? noGroup, groupText, onText)
  useReportUnsaid('group', unsaid, onUnsaid)
  return <GroupFields bins={bins} group={group} figures={figures} onChange={change} />
}

function AggregateMember({ bins, text, onText, onUnsaid }: BinMember) {
  const [rows, change, unsaid] = useInStep(
    text,
    (member) => aggregateRowsOf(member) ?? [],
    (next) => (next.some((row) => aggregateProblem(row) !== undefined) ? undefined : aggregateText(next)),
    onText,
  )
  useReportUnsaid('aggregate', unsaid, onUnsaid)
  return <AggregateFields bins={bins} rows={rows} onChange={change} />
}

function RouteMember({ bin, text, onText }: Member & { bin: string }) {
  const [route, change] = useInStep(text, (member) => routeOf(member) ?? '', routeText, onText)
  return (
    <TextField
      label={
        <>
          <Say text="Route: value of <code>{bin}</code>" values={{ bin }} />
        </>
      }
      mono
      value={route}
      placeholder={t('all segments')}
      onChange={change}
      hint={t('Reads only the segment of this value. Put text that looks like a number in quotes')}
    />
  )
}

interface UseIndexProps extends Member {
  /** of the namespace; undefined while loading */
  indexes: readonly Index[] | undefined
  set: string | undefined
}

function UseIndexMember({ indexes, set, text, onText }: UseIndexProps) {
  const chosen = indexUseOf(text) ?? 'auto'
  return (
    <SelectField
      label={t('Use index')}
      value={chosen}
      choices={indexChoices(indexes, set, chosen)}
      onChange={(next) => onText(indexUseText(next))}
      hint={t('A named index is always used, whatever it costs')}
    />
  )
}

function LimitMember({ text, onText }: Member) {
  return (
    <NumberField
      label={t('Limit')}
      value={text}
      placeholder={t('all')}
      onChange={(typed) => onText(limitText(typed))}
      hint={t('Empty: all')}
    />
  )
}
