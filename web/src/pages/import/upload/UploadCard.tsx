import { Link } from '@tanstack/react-router'
import type { Job } from '../../../api/types'
import { useMay } from '../../../api/use-may'
import { progressWords } from '../../../components/jobs/JobPanel'
import { bytes, count, duration, rate } from '../../../format'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { Problem } from '../../../ui/Problem'
import { Progress } from '../../../ui/Progress'
import { RejectTable } from './RejectTable'
import type { UploadState } from './use-upload'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'

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
  const name = dryRun ? t('Dry run') : t('Import')
  return (
    <Card
      title={name}
      end={
        phase === 'running' && (
          <>
            {!dryRun && (
              <Button small onClick={onPause}>
                {t('Pause')}
              </Button>
            )}
            <Button small look="danger" onClick={onAbort}>
              {t('Abort')}
            </Button>
          </>
        )
      }
    >
      <div className="stack">
        {phase === 'running' && (
          <div className="stack-small">
            <Progress label={t('{name} progress', { name })} done={sent} total={total} />
            <div className="num mute" style={{ whiteSpace: 'normal' }} role="status">
              {t('{sent} of {total} sent', { sent: bytes(sent), total: bytes(total) })}
              {job !== undefined && ` · ${progressWords(job)}`}
            </div>
          </div>
        )}
        {phase === 'broken' && (
          <p>
            {t(
              'The upload broke off before its job was known. If the gateway waits for the rest, the upload is listed below. Otherwise import the file again.',
            )}
          </p>
        )}
        {phase === 'stopped' && (
          <p>
            {dryRun
              ? t('Stopped. Nothing was stored.')
              : t('Stopped. Stored rows stay. Importing the file again writes the same keys.')}
          </p>
        )}
        <Problem error={error} />
        {report !== undefined && (
          <>
            <p>
              <Say
                text="<strong>{rows, plural, one {# row} other {# rows}}</strong> in {elapsedMs} ({rowsPerSecond}, {bytes}): {which, select, true {nothing was stored} other {{inserted} inserted, {updated} updated}}, {rejectedTotal} rejected."
                values={{
                  strong: (parts) => <strong className="good">{parts}</strong>,
                  rows: report.rows,
                  elapsedMs: duration(report.elapsedMs / 1000),
                  rowsPerSecond: rate(report.rowsPerSecond),
                  bytes: bytes(report.bytes),
                  which: String(dryRun),
                  inserted: count(report.inserted),
                  updated: count(report.updated),
                  rejectedTotal: count(report.rejectedTotal),
                }}
              />
            </p>
            {report.sample !== undefined && report.sample !== '' && (
              <pre
                className="json"
                tabIndex={0}
                aria-label={t('Preview of the first records')}
                style={{ maxHeight: 220 }}
              >
                {report.sample}
              </pre>
            )}
            {report.withoutRoute !== undefined && report.withoutRoute > 0 && (
              <p className="note warn">
                {t(
                  '{withoutRoute, plural, one {# row} other {# rows}} had no distribution bin, so their keys chose the segment. A query with a route does not find them.',
                  { withoutRoute: report.withoutRoute },
                )}
              </p>
            )}
            {report.rejectedTotal > 0 && <RejectTable report={report} />}
            <div className="row">
              {dryRun ? (
                <>
                  <Button look="primary" disabled={problem !== undefined} onClick={onImport}>
                    {t('Import all rows')}
                  </Button>
                  {problem !== undefined && <span className="bad small">{problem}</span>}
                </>
              ) : (
                <>
                  <Link to="/records" search={{ ns, ...(set !== '' && { set }) }} className="btn">
                    {t('Show the records')}
                  </Link>
                  {may('createIndex', { namespace: ns }) && (
                    <Link to="/indexes" search={{ ns, create: true }} className="btn">
                      {t('Build an index')}
                    </Link>
                  )}
                  <Link to="/jobs" search={{ id: report.jobId }} className="btn">
                    {t('Show the job')}
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
