import type { Job } from '../../api/types'
import { bytes, count, duration, plural, rate } from '../../format'
import { tookSeconds } from '../jobs/JobPanel'
import type { StreamState } from '../../records/use-record-stream'

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
  const matched = returned === undefined ? undefined : `${count(returned)} matched`
  const scanned = number('scanned')
  const candidates = number('candidates')
  const seconds = state.elapsedMs / 1000
  const parts = [
    groups ? plural(state.count, 'group') : undefined,
    // Until it ends, count rows. A damaged record has a row but was not returned.
    groups ? matched : `${count(returned ?? Math.max(0, state.count - (job?.damaged ?? 0)))} returned`,
    scanned === undefined ? undefined : `${count(scanned)} scanned`,
    candidates === undefined || candidates === scanned ? undefined : plural(candidates, 'candidate'),
    took === undefined ? undefined : `engine ${took === 0 ? '< 1 ms' : duration(took)}`,
    `browser ${duration(seconds)}`,
    bytes(state.bytes),
    state.phase === 'running' && seconds > 0 ? rate(state.count / seconds) : undefined,
    typeof method === 'string' ? `by ${method}` : undefined,
    job === undefined ? undefined : plural(job.threads, 'thread'),
    state.phase === 'stopped' ? 'stopped' : undefined,
  ]
  return (
    <p className="num mute" style={{ whiteSpace: 'normal' }} role="status">
      {parts.filter((part) => part !== undefined).join(' · ')}
    </p>
  )
}
