import { Link } from '@tanstack/react-router'
import { duration } from '../../format'
import { isActive, percentOf } from '../../components/jobs/job-state'
import { connection } from '../../live/connection'
import { useLiveValue } from '../../live/use-connection'
import { t } from '../../language/text'
import { jobTitle } from '../../components/jobs/job-title'
import { Tip } from '../../ui/Tip'

interface Shown {
  title: string
  percent: number | null
  eta: string
  active: number
}

/** What the chip says, as a text, so that a frame renders it only if it says something else. */
function shownNow(): string {
  const active = (connection.jobs ?? []).filter(isActive)
  const job = active[0]
  if (job === undefined) return ''
  const percent = percentOf(job)
  const shown: Shown = {
    title: job.title,
    percent: percent === undefined ? null : Math.floor(percent),
    eta: job.etaSeconds === undefined ? '' : duration(job.etaSeconds),
    active: active.length,
  }
  return JSON.stringify(shown)
}

/** The running jobs in one chip: the newest with its progress, and the number of others. */
export function JobsChip() {
  const shown = useLiveValue(shownNow)
  if (shown === '') return null
  const { title, percent, eta, active } = JSON.parse(shown) as Shown
  return (
    <Tip text={t('{active, plural, one {# running job} other {# running jobs}}', { active })}>
      <Link to="/jobs" className="chip accent">
        <span className={percent === null ? 'job-only' : 'job-name'}>{jobTitle(title)}</span>
        {percent === null ? '' : ` ${percent}%`}
        <span className="widest-only">{eta === '' ? '' : ` · ${t('{etaSeconds} left', { etaSeconds: eta })}`}</span>
        {active > 1 && ` +${active - 1}`}
      </Link>
    </Tip>
  )
}
