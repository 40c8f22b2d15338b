import { Link } from '@tanstack/react-router'
import { isActive } from '../../components/jobs/job-state'
import { JobPanel } from '../../components/jobs/JobPanel'
import { useLiveJobs } from '../../live/use-connection'
import { Card } from '../../ui/Card'
import { t } from '../../language/text'

/** The running jobs. */
export function RunningJobs() {
  const active = (useLiveJobs() ?? []).filter(isActive)
  return (
    <Card
      title={t('Running jobs')}
      end={
        <Link to="/jobs" className="small">
          {t('all jobs')}
        </Link>
      }
    >
      {active.length === 0 ? (
        <p className="mute">{t('No running jobs. Imports, scans and index builds appear here while they run.')}</p>
      ) : (
        <div className="stack">
          {active.slice(0, 4).map((job) => (
            <JobPanel key={job.id} job={job} controls={false} />
          ))}
        </div>
      )}
    </Card>
  )
}
