import { Link } from '@tanstack/react-router'
import { duration, plural } from '../../format'
import { isActive, percentOf } from '../../components/jobs/job-state'
import { useLiveJobs } from '../../live/use-connection'

/** The running jobs in one chip: the newest with its progress, and the number of others. */
export function JobsChip() {
  const active = (useLiveJobs() ?? []).filter(isActive)
  const job = active[0]
  if (job === undefined) return null
  const percent = percentOf(job)
  const eta = job.etaSeconds === undefined ? '' : ` · ${duration(job.etaSeconds)} left`
  return (
    <Link to="/jobs" className="chip accent" title={plural(active.length, 'running job')}>
      <span className={percent === undefined ? 'job-only' : 'job-name'}>{job.title}</span>
      {percent === undefined ? '' : ` ${Math.floor(percent)}%`}
      <span className="widest-only">{eta}</span>
      {active.length > 1 && ` +${active.length - 1}`}
    </Link>
  )
}
