import { saveFile } from '../../../components/save-file'
import { count } from '../../../format'
import type { ColumnDef } from '../../../table/column'
import { DataTable } from '../../../table/DataTable'
import { Button } from '../../../ui/Button'
import { Problem } from '../../../ui/Problem'
import { Progress } from '../../../ui/Progress'
import type { Failure } from './bulk'
import type { BulkState } from './use-bulk'
import { t } from '../../../language/text'

interface Props {
  state: BulkState
  task: 'delete' | 'edit'
  /** whether those that stay as they were stay selected */
  stays: boolean
  onAbort: () => void
  onClose: () => void
}

/** The progress of a change of many records, and in the end which ones stayed as they were, and why. */
export function BulkReport({ state, task, stays, onAbort, onClose }: Props) {
  const { phase, done, failed, failures, error } = state
  // Records may have come since they were counted.
  const total = Math.max(state.total, done)
  const changed = done - failed
  return (
    <div className="stack">
      <Progress
        label={task === 'delete' ? t('Records deleted') : t('Records changed')}
        done={done}
        total={total}
        tone={failed > 0 ? 'bad' : 'good'}
      />
      <p role="status">
        {phase === 'running'
          ? t('{done} of {total, plural, one {# record} other {# records}}', { done: count(done), total })
          : task === 'delete'
            ? t('{changed, plural, one {# record} other {# records}} deleted', { changed })
            : t('{changed, plural, one {# record} other {# records}} changed', { changed })}
        {failed > 0 && `, ${t('{failed} failed', { failed: count(failed) })}`}
        {phase !== 'running' && total > done && `, ${t('{left} not tried', { left: count(total - done) })}`}.{' '}
        {phase === 'aborted' && t('You aborted it. What was done stays done.')}
      </p>
      <Problem error={error} />
      {failures.length > 0 && (
        <DataTable label={t('Failed records')} columns={columns} rows={failures} keyOf={({ digest }) => digest} long />
      )}
      {phase !== 'running' && failed > failures.length && (
        <p className="mute">
          {t('The report names only the first {failures, plural, one {# failure} other {# failures}}.', {
            failures: failures.length,
          })}
        </p>
      )}
      {phase !== 'running' && failed > 0 && stays && (
        <p className="mute">{t('The records that failed stay selected.')}</p>
      )}
      <div className="row end">
        {phase !== 'running' && failures.length > 0 && (
          <Button onClick={() => save(failures)}>{t('Download the report')}</Button>
        )}
        {phase === 'running' ? (
          <Button onClick={onAbort}>{t('Abort')}</Button>
        ) : (
          <Button look="primary" onClick={onClose}>
            {t('Close')}
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
  { name: 'key', label: t('key'), sort: ({ key }) => key, cell: ({ key }) => <span className="mono">{key}</span> },
  { name: 'reason', label: t('reason'), sort: ({ code }) => code, cell: ({ code }) => <code>{code}</code> },
  { name: 'message', label: t('message'), cell: ({ message }) => message },
]
