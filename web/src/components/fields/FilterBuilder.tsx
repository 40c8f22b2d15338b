import { JsonField } from '../../editor/JsonField'
import { faultOf, faultWords } from '../../records/json-scan'
import { emptyGroup, readWhere, whereText } from '../../records/request/where'
import { useInStep } from './use-in-step'
import { type ReportUnsaid, useReportUnsaid } from './use-unsaid'
import { WhereFields } from './WhereFields'
import { t } from '../../language/text'

interface Props {
  bins: string[]
  /** the filter as JSON text; empty = every record */
  where: string
  onChange: (where: string) => void
  /** called if a condition is incomplete; `where` then keeps its last valid value */
  onUnsaid: ReportUnsaid
}

/** A filter as conditions and as JSON. Both can be edited and stay in sync. */
export function FilterBuilder({ bins, where, onChange, onUnsaid }: Props) {
  const [group, change, unsaid] = useInStep(
    where,
    (text) => readWhere(text) ?? emptyGroup,
    (next) => whereText(next, 2),
    onChange,
  )
  useReportUnsaid('where', unsaid, onUnsaid)
  const fault = where.trim() === '' ? undefined : faultOf(where)
  return (
    <div className="stack">
      {fault === undefined && <WhereFields bins={bins} group={group} onChange={change} />}
      <JsonField
        label={t('Filter as JSON')}
        value={where}
        onChange={onChange}
        rows={Math.min(12, where.split('\n').length + Math.ceil(where.length / 60) + 1)}
        placeholder={t(`'{'"bin":"event_type","op":"eq","value":"PushEvent"'}'`)}
        error={fault && faultWords(where, fault)}
        fault={fault}
        guide={{ body: { operation: 'query', member: 'where' }, bins }}
      />
    </div>
  )
}
