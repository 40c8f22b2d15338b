import { jsonProblem } from '../../records/bins'
import { emptyGroup, readWhere, whereText } from '../../records/request/where'
import { AreaField } from '../../ui/inputs'
import { useInStep } from './use-in-step'
import { type ReportUnsaid, useReportUnsaid } from './use-unsaid'
import { WhereFields } from './WhereFields'

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
  const problem = where.trim() === '' ? undefined : jsonProblem(where)
  return (
    <div className="stack">
      {problem === undefined && <WhereFields bins={bins} group={group} onChange={change} />}
      <AreaField
        label="Filter as JSON"
        value={where}
        onChange={onChange}
        rows={Math.min(12, where.split('\n').length + Math.ceil(where.length / 60) + 1)}
        placeholder='{"bin":"event_type","op":"eq","value":"PushEvent"}'
        error={problem}
      />
    </div>
  )
}
