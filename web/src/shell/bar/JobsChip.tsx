import { Link } from '@tanstack/react-router'
import { duration } from '../../format'
import { isActive, percentOf } from '../../components/jobs/job-state'
import { useLiveJobs } from '../../live/use-connection'
import { t } from '../../language/text'
import { jobTitle } from '../../components/jobs/job-title'
import { Tip } from '../../ui/Tip'

/** The running jobs in one chip: the newest with its progress, and the number of others. */
export function JobsChip() {
  const active = (useLiveJobs() ?? []).filter(isActive)
  const job = active[0]
  if (job === undefined) return null
  const percent = percentOf(job)
  const eta =
    job.etaSeconds === undefined ? '' : ` · ${t('{etaSeconds} left', { etaSeconds: duration(job.etaSeconds) })}`
  return (
    <Tip text={t('{active, plural, one {# running job} other {# running jobs}}', { active: active.length })}>
      <Link to="/jobs" className="chip accent">
        <span className={percent === undefined ? 'job-only' : 'job-name'}>{jobTitle(job.title)}</span>
        {percent === undefined ? '' : ` ${Math.floor(percent)}%`}
        <span className="widest-only">{eta}</span>
        {active.length > 1 && ` +${active.length - 1}`}
      </Link>
    </Tip>
  )
}
