import type { Job } from '../api/types'
import { bytes, count, duration, latency, rate } from '../format'
import type { StreamState } from '../records/use-record-stream'

/** What a scan or a query cost: from the engine's own summary once it has ended, until then what has arrived. */
export function CostLine({ state, job }: { state: StreamState; job: Job | undefined }) {
  const result = job?.result ?? {}
  const number = (name: string): number | undefined => (typeof result[name] === 'number' ? result[name] : undefined)
  const elapsed = number('elapsedMs')
  const scanned = number('scanned')
  const candidates = number('candidates')
  const seconds = state.elapsedMs / 1000
  const parts = [
    `${count(state.count)} returned`,
    scanned === undefined ? undefined : `${count(scanned)} scanned`,
    candidates === undefined || candidates === scanned ? undefined : `${count(candidates)} candidates`,
    elapsed === undefined ? undefined : `engine ${latency(elapsed * 1e6)}`,
    `here ${duration(seconds)}`,
    bytes(state.bytes),
    state.phase === 'running' && seconds > 0 ? rate(state.count / seconds) : undefined,
    typeof result['method'] === 'string' ? `by ${result['method']}` : undefined,
    number('threads') === undefined ? undefined : `${number('threads')} thread${number('threads') === 1 ? '' : 's'}`,
    state.phase === 'stopped' ? 'stopped' : undefined,
  ]
  return (
    <p className="num mute" style={{ whiteSpace: 'normal' }} role="status">
      {parts.filter((part) => part !== undefined).join(' · ')}
    </p>
  )
}
