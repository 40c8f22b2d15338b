import type { AlertHealth, Job, LatencySeries, LiveFrame, MetricsFrame } from '../api/types'
import { eventText } from '../components/jobs/event-text'

export interface Mark {
  timeMs: number
  kind: string
  text: string
  jobId?: string | undefined
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
