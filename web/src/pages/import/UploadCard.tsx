import { Link } from '@tanstack/react-router'
import type { Job } from '../../api/types'
import { progressWords } from '../../components/JobPanel'
import { bytes, count, duration, plural, rate } from '../../format'
import { Button } from '../../ui/Button'
import { Card } from '../../ui/Card'
import { Problem } from '../../ui/Problem'
import { Progress } from '../../ui/Progress'
import { RejectTable } from './RejectTable'
import type { UploadState } from './use-upload'

interface Props {
  state: UploadState
  jobId: string | undefined
  job: Job | undefined
  /** why the whole file cannot be imported as the form has it now */
  problem: string | undefined
  onPause: () => void
  onAbort: () => void
  onImport: () => void
}

/** An upload as it goes, and what came of it. */
export function UploadCard({ state, jobId, job, problem, onPause, onAbort, onImport }: Props) {
  const { phase, ns, set, dryRun, sent, total, report, error } = state
  // What broke off has a card of its own, which goes on with it.
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
                Break off
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
            The upload broke off before its import was known. If the gateway waits for the rest, it is listed below;
            otherwise import the file again.
          </p>
        )}
        {phase === 'stopped' && (
          <p>
            Stopped.{' '}
            {dryRun
              ? 'Nothing was stored.'
              : 'Rows that were already stored stay; importing the file again writes the same keys.'}
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
              <pre
                className="json"
                tabIndex={0}
                aria-label="First records as they would be stored"
                style={{ maxHeight: 220 }}
              >
                {report.sample}
              </pre>
            )}
            {report.withoutRoute !== undefined && report.withoutRoute > 0 && (
              <p className="note warn">
                {plural(report.withoutRoute, 'row')} had no distribution bin and lie by their keys: a query that names a
                route does not find them.
              </p>
            )}
            {report.rejectedTotal > 0 && <RejectTable report={report} />}
            <div className="row">
              {dryRun ? (
                <Button look="primary" disabled={problem !== undefined} title={problem} onClick={onImport}>
                  Import it all
                </Button>
              ) : (
                <>
                  <Link to="/records" search={{ ns, ...(set !== '' && { set }) }} className="btn">
                    Look at the records
                  </Link>
                  <Link to="/indexes" search={{ ns, create: true }} className="btn">
                    Build an index
                  </Link>
                  <Link to="/jobs" search={{ id: report.jobId }} className="btn">
                    The job
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
