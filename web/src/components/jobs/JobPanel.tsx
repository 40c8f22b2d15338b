import { stateWords } from '../state-words'
import type { Job } from '../../api/types'
import { bytes, count, duration, rate, fixed } from '../../format'
import { Progress } from '../../ui/Progress'
import { JobControls } from './JobControls'
import { JobLanes } from './JobLanes'
import { isActive, percentOf, stateTone } from './job-state'
import { t } from '../../language/text'
import { unitWords } from '../api-words'
import { JobError } from './JobError'
import { jobTitle } from './job-title'

interface Props {
  job: Job
  controls?: boolean
  /** false: what stops it stands elsewhere on the page */
  aborts?: boolean
}

/** A job as it runs: progress, rate, time left, threads, pause and abort. */
export function JobPanel({ job, controls = true, aborts = true }: Props) {
  const percent = percentOf(job)
  const tone = job.state === 'failed' ? 'bad' : job.state === 'done' ? 'good' : 'plain'
  return (
    <div className="stack-small">
      <div className="spread">
        <span>
          <strong>{jobTitle(job.title)}</strong>{' '}
          <span className={`badge ${stateTone[job.state]}`}>{stateWords(job.state)}</span>
        </span>
        <span className="num">{percent === undefined ? '' : `${fixed(percent, percent < 10 ? 1 : 0)}%`}</span>
      </div>
      <Progress
        label={t('Progress of {title}', { title: jobTitle(job.title) })}
        done={isActive(job) ? job.done : 1}
        total={isActive(job) ? job.total : 1}
        tone={tone}
      />
      <div className="num mute" style={{ whiteSpace: 'normal' }}>
        {progressWords(job)}
      </div>
      {job.damaged > 0 && (
        <div className="note warn" role="status">
          {job.kind === 'scrub'
            ? t(
                '{damaged, plural, one {# damaged record} other {# damaged records}} found: the device returned other data than was written.',
                { damaged: job.damaged },
              )
            : t(
                '{damaged, plural, one {# damaged record} other {# damaged records}} left out: the device returned other data than was written.',
                { damaged: job.damaged },
              )}
        </div>
      )}
      {job.error !== undefined && <JobError error={job.error} />}
      <JobLanes job={job} />
      {controls && isActive(job) && <JobControls job={job} aborts={aborts} />}
    </div>
  )
}

/** "112,640 of 219,000 records · 141 k/s · 8 s left (6 s to 11 s) · 2 threads" */
export function progressWords(job: Job): string {
  const amount = (value: number): string => (job.unit === 'bytes' ? bytes(value) : count(value))
  const parts = [
    job.total === undefined
      ? `${amount(job.done)} ${unit(job)}`
      : t('{done} of {total} {unit}', { done: amount(job.done), total: amount(job.total), unit: unit(job) }),
  ]
  if (job.ratePerSecond > 0)
    parts.push(job.unit === 'bytes' ? `${bytes(job.ratePerSecond)}/s` : rate(job.ratePerSecond))
  if (isActive(job) && job.etaSeconds !== undefined) parts.push(leftWords(job.etaSeconds, job))
  const took = tookSeconds(job)
  if (took !== undefined) parts.push(t('took {took}', { took: duration(took) }))
  if (job.threads > 0) parts.push(t('{threads, plural, one {# thread} other {# threads}}', { threads: job.threads }))
  return parts.join(' · ')
}

/** The time left, with its range if that is wider than what is shown. */
function leftWords(seconds: number, { etaLeastSeconds: least, etaMostSeconds: most }: Job): string {
  const etaSeconds = duration(seconds)
  const [from, to] = [duration(least ?? seconds), duration(most ?? seconds)]
  if (from === to) return t('{etaSeconds} left', { etaSeconds })
  return t('{etaSeconds} left ({from} to {to})', { etaSeconds, from, to })
}

function unit(job: Job): string {
  return job.unit === 'bytes' ? '' : unitWords(job.unit)
}

export function tookSeconds(job: Job): number | undefined {
  if (job.startedAt === undefined || job.endedAt === undefined) return undefined
  return (Date.parse(job.endedAt) - Date.parse(job.startedAt)) / 1000
}
