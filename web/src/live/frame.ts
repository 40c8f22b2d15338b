import type { AlertEvent, AlertHealth, Job, LatencySeries, LiveFrame, MetricsFrame } from '../api/types'
import { eventText } from '../components/jobs/event-text'
import { stateWords } from '../components/state-words'
import { t } from '../language/text'

export interface Mark {
  timeMs: number
  kind: string
  text: string
  jobId?: string | undefined
  /** unset: the whole server */
  namespace?: string | undefined
  /** the entry in the history of alerts */
  alertId?: string | undefined
}

/** One frame of metrics in the console: times in milliseconds, missing parts empty. `timeMs` is its end. */
export interface Frame {
  seq: number
  timeMs: number
  durationMs: number
  latency: LatencySeries[]
  marks: Mark[]
  process?: MetricsFrame['process'] | undefined
  memory?: MetricsFrame['memory'] | undefined
  device?: MetricsFrame['device'] | undefined
  devices?: MetricsFrame['devices'] | undefined
  jobs?: Job[] | undefined
  health?: AlertHealth | undefined
}

export function readFrame(frame: LiveFrame | MetricsFrame): Frame {
  return {
    ...frame,
    timeMs: Date.parse(frame.time),
    latency: frame.latency ?? [],
    marks: (frame.marks ?? []).map((mark) => ({ ...mark, text: eventText(mark), timeMs: Date.parse(mark.time) })),
  }
}

/** A change of an alert as an event at the charts. */
export const alertMark = ({ id, at, kind, rule, namespace }: AlertEvent): Mark => ({
  timeMs: Date.parse(at),
  kind: 'alert',
  text: t('{title}: {state}', { title: rule, state: stateWords(kind) }),
  alertId: id,
  namespace,
})
