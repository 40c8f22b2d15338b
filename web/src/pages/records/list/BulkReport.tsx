import { saveFile } from '../../../components/save-file'
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
  /** whether those that stay as they were stay selected */
  stays: boolean
  onAbort: () => void
  onClose: () => void
}

/** The progress of a change of many records, and in the end which ones stayed as they were, and why. */
export function BulkReport({ state, word, stays, onAbort, onClose }: Props) {
  const { phase, done, failed, failures, error } = state
  // Records may have come since they were counted.
  const total = Math.max(state.total, done)
  const changed = done - failed
  return (
    <div className="stack">
      <Progress label={`Records ${word}`} done={done} total={total} tone={failed > 0 ? 'bad' : 'good'} />
      <p role="status">
        {phase === 'running' ? `${count(done)} of ${plural(total, 'record')}` : `${plural(changed, 'record')} ${word}`}
        {failed > 0 && `, ${count(failed)} failed`}
        {phase !== 'running' && total > done && `, ${count(total - done)} not tried`}.{' '}
        {phase === 'aborted' && 'You aborted it. What was done stays done.'}
      </p>
      <Problem error={error} />
      {failures.length > 0 && (
        <DataTable label="Failed records" columns={columns} rows={failures} keyOf={({ digest }) => digest} long />
      )}
      {phase !== 'running' && failed > failures.length && (
        <p className="mute">The report names only the first {plural(failures.length, 'failure')}.</p>
      )}
      {phase !== 'running' && failed > 0 && stays && <p className="mute">The records that failed stay selected.</p>}
      <div className="row end">
        {phase !== 'running' && failures.length > 0 && (
          <Button onClick={() => save(failures)}>Download the report</Button>
        )}
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

/** One failure a line: the digest, the key, the code and the message. */
const save = (failures: readonly Failure[]): void =>
  saveFile(
    'failures.ndjson',
    new Blob([failures.map((failure) => `${JSON.stringify(failure)}\n`).join('')], { type: 'application/x-ndjson' }),
  )

const columns: ColumnDef<Failure>[] = [
  { name: 'key', sort: ({ key }) => key, cell: ({ key }) => <span className="mono">{key}</span> },
  { name: 'reason', sort: ({ code }) => code, cell: ({ code }) => <code>{code}</code> },
  { name: 'message', cell: ({ message }) => message },
]
