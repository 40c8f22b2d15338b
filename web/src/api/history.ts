import { readFrame, type Frame } from '../live/frame'
import * as api from '@tessera/client'
import { call } from './client'
import type { WorkloadLatency } from './types'

interface HistoryRange {
  fromMs: number
  toMs: number
  stepSeconds: number
  namespace?: string | undefined
}

/** Frames of the engine's own history, oldest first. */
export async function fetchHistory(range: HistoryRange): Promise<Frame[]> {
  return (await fetchSteps(range)).frames
}

/** The same, and the step that was used: it is longer than asked for if the range lies far back. */
export async function fetchSteps({
  fromMs,
  toMs,
  stepSeconds,
  namespace,
}: HistoryRange): Promise<{ stepSeconds: number; frames: Frame[] }> {
  const query = {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    step: `${stepSeconds}s`,
    ...(namespace !== undefined && { namespace }),
  }
  const history = await call(api.getHistory, { query })
  return { stepSeconds: history.stepSeconds, frames: history.items.map(readFrame) }
}

/** The histograms of a run; no steps of one from before there were some. */
export async function fetchRunLatency(id: string): Promise<WorkloadLatency> {
  return call(api.getWorkloadLatency, { path: { id } })
}
