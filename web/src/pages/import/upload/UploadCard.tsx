import { Link } from '@tanstack/react-router'
import type { Job } from '../../../api/types'
import { useMay } from '../../../api/use-may'
import { progressWords } from '../../../components/jobs/JobPanel'
import { bytes, count, duration, plural, rate } from '../../../format'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Problem } from '../../../ui/Problem'
import { Progress } from '../../../ui/Progress'
import { RejectTable } from './RejectTable'
import type { UploadState } from './use-upload'

interface Props {
  state: UploadState
  jobId: string | undefined
  job: Job | undefined
  /** why the whole file cannot be imported with the current form */
  problem: string | undefined
  onPause: () => void
  onAbort: () => void
  onImport: () => void
}

/** A running upload, and its result. */
export function UploadCard({ state, jobId, job, problem, onPause, onAbort, onImport }: Props) {
  const may = useMay()
  const { phase, ns, set, dryRun, sent, total, report, error } = state
  // An upload that broke off has its own card, which can resume it.
  if (phase === 'idle' || (phase === 'broken' && jobId !== undefined)) return null
  const name = dryRun ? 'Dry run' : 'Import'
  return (
    <Card
      title={name}
      end={
        phase === 'running' && (
          <>
            {!dryRun && (
              <Button small onClick={onPause}>
                Pause
              </Button>
            )}
            <Button small look="danger" onClick={onAbort}>
              Abort
            </Button>
          </>
        )
      }
    >
      <div className="stack">
        {phase === 'running' && (
          <div className="stack-small">
            <Progress label={`${name} progress`} done={sent} total={total} />
            <div className="num mute" style={{ whiteSpace: 'normal' }} role="status">
              {bytes(sent)} of {bytes(total)} sent{job !== undefined && ` · ${progressWords(job)}`}
            </div>
          </div>
        )}
        {phase === 'broken' && (
          <p>
            The upload broke off before its job was known. If the gateway waits for the rest, the upload is listed
            below. Otherwise import the file again.
          </p>
        )}
        {phase === 'stopped' && (
          <p>
            Stopped.{' '}
            {dryRun ? 'Nothing was stored.' : 'Stored rows stay. Importing the file again writes the same keys.'}
          </p>
        )}
        <Problem error={error} />
        {report !== undefined && (
          <>
            <p>
              <strong className="good">{plural(report.rows, 'row')}</strong> in {duration(report.elapsedMs / 1000)} (
              {rate(report.rowsPerSecond)}, {bytes(report.bytes)}):{' '}
              {dryRun ? 'nothing was stored' : `${count(report.inserted)} inserted, ${count(report.updated)} updated`},{' '}
              {count(report.rejectedTotal)} rejected.
            </p>
            {report.sample !== undefined && report.sample !== '' && (
              <pre className="json" tabIndex={0} aria-label="Preview of the first records" style={{ maxHeight: 220 }}>
                {report.sample}
              </pre>
            )}
            {report.withoutRoute !== undefined && report.withoutRoute > 0 && (
              <p className="note warn">
                {plural(report.withoutRoute, 'row')} had no distribution bin, so their keys chose the segment. A query
                with a route does not find them.
              </p>
            )}
            {report.rejectedTotal > 0 && <RejectTable report={report} />}
            <div className="row">
              {dryRun ? (
                <Button look="primary" disabled={problem !== undefined} title={problem} onClick={onImport}>
                  Import all rows
                </Button>
              ) : (
                <>
                  <Link to="/records" search={{ ns, ...(set !== '' && { set }) }} className="btn">
                    Show the records
                  </Link>
                  {may('createIndex', { namespace: ns }) && (
                    <Link to="/indexes" search={{ ns, create: true }} className="btn">
                      Build an index
                    </Link>
                  )}
                  <Link to="/jobs" search={{ id: report.jobId }} className="btn">
                    Show the job
                  </Link>
                </>
              )}
            </div>
          </>
        )}
      </div>
    </Card>
  )
}
