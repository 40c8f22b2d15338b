import { count, plural } from '../../../format'
import type { ColumnDef } from '../../../table/column'
import { DataTable } from '../../../table/DataTable'
import { Button } from '../../../ui/Button'
import { Problem } from '../../../ui/Problem'
import { Progress } from '../../../ui/Progress'
import type { Failure } from './bulk'
import type { BulkState } from './use-bulk'

interface Props {
  state: BulkState
  /** what was done to a record, such as `deleted` */
  word: string
  onAbort: () => void
  onClose: () => void
}

/** The progress of a change of many records, and in the end which ones stayed as they were, and why. */
export function BulkReport({ state, word, onAbort, onClose }: Props) {
  const { phase, done, total, failures, error } = state
  const changed = done - failures.length
  return (
    <div className="stack">
      <Progress label={`Records ${word}`} done={done} total={total} tone={failures.length > 0 ? 'bad' : 'good'} />
      <p role="status">
        {phase === 'running' ? `${count(done)} of ${plural(total, 'record')}` : `${plural(changed, 'record')} ${word}`}
        {failures.length > 0 && `, ${count(failures.length)} failed`}
        {phase !== 'running' && total > done && `, ${count(total - done)} not tried`}.{' '}
        {phase === 'aborted' && 'You aborted it. What was done stays done.'}
      </p>
      <Problem error={error} />
      {failures.length > 0 && (
        <DataTable label="Failed records" columns={columns} rows={failures} keyOf={({ digest }) => digest} long />
      )}
      {phase !== 'running' && failures.length > 0 && <p className="mute">The records that failed stay selected.</p>}
      <div className="row end">
        {phase === 'running' ? (
          <Button onClick={onAbort}>Abort</Button>
        ) : (
          <Button look="primary" onClick={onClose}>
            Close
          </Button>
        )}
      </div>
    </div>
  )
}

const columns: ColumnDef<Failure>[] = [
  { name: 'key', sort: ({ key }) => key, cell: ({ key }) => <span className="mono">{key}</span> },
  { name: 'reason', sort: ({ code }) => code, cell: ({ code }) => <code>{code}</code> },
  { name: 'message', cell: ({ message }) => message },
]
