import { readFrame, type Frame } from '../live/frame'
import { client, unwrap } from './client'

interface HistoryRange {
  fromMs: number
  toMs: number
  stepSeconds: number
}

/** Frames of the engine's own history, oldest first. */
export async function fetchHistory({ fromMs, toMs, stepSeconds }: HistoryRange): Promise<Frame[]> {
  const query = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), step: `${stepSeconds}s` }
  const history = unwrap(await client.GET('/api/v1/metrics/history', { params: { query } }))
  return history.items.map(readFrame)
}
