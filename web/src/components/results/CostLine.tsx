import type { Job } from '../../api/types'
import { bytes, count, duration, rate } from '../../format'
import { tookSeconds } from '../jobs/JobPanel'
import type { StreamState } from '../../records/use-record-stream'
import { t } from '../../language/text'

interface Props {
  state: StreamState
  job: Job | undefined
  /** whether its rows are groups of records */
  groups: boolean
}

/** The cost of a scan or query: what has arrived so far, and at the end the summary of the engine. */
export function CostLine({ state, job, groups }: Props) {
  const result = job?.result ?? {}
  const number = (name: string): number | undefined => (typeof result[name] === 'number' ? result[name] : undefined)
  const took = job === undefined ? undefined : tookSeconds(job)
  const method = result['method'] ?? job?.parameters['method']
  const returned = number('returned')
  const matched = returned === undefined ? undefined : t('{returned} matched', { returned: count(returned) })
  const scanned = number('scanned')
  const candidates = number('candidates')
  const seconds = state.elapsedMs / 1000
  const parts = [
    groups ? t('{count, plural, one {# group} other {# groups}}', { count: state.count }) : undefined,
    // Until it ends, count rows. A damaged record has a row but was not returned.
    groups
      ? matched
      : t('{returned} returned', { returned: count(returned ?? Math.max(0, state.count - (job?.damaged ?? 0))) }),
    scanned === undefined ? undefined : t('{scanned} scanned', { scanned: count(scanned) }),
    candidates === undefined || candidates === scanned
      ? undefined
      : t('{candidates, plural, one {# candidate} other {# candidates}}', { candidates }),
    took === undefined ? undefined : t('engine {took}', { took: took === 0 ? '< 1 ms' : duration(took) }),
    t('browser {seconds}', { seconds: duration(seconds) }),
    bytes(state.bytes),
    state.phase === 'running' && seconds > 0 ? rate(state.count / seconds) : undefined,
    typeof method === 'string' ? t('by {method}', { method }) : undefined,
    job === undefined ? undefined : t('{threads, plural, one {# thread} other {# threads}}', { threads: job.threads }),
    state.phase === 'stopped' ? t('stopped') : undefined,
  ]
  return (
    <p className="num mute" style={{ whiteSpace: 'normal' }} role="status">
      {parts.filter((part) => part !== undefined).join(' · ')}
    </p>
  )
}
