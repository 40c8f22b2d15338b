import type { LatencySeries } from '../src/api/types'
import { bucketOf, SLO_EDGES_NS } from '../src/live/latency/buckets'
import type { Frame } from '../src/live/frame'

/** A series as the engine would record these durations (nanoseconds). */
export function seriesOf(durations: number[], part: Partial<LatencySeries> = {}): LatencySeries {
  const counts = new Map<number, number>()
  for (const ns of durations) counts.set(bucketOf(ns), (counts.get(bucketOf(ns)) ?? 0) + 1)
  return {
    namespace: 'events',
    op: 'get',
    outcome: 'ok',
    side: 'engine',
    count: durations.length,
    sumNs: durations.reduce((sum, ns) => sum + ns, 0),
    sumSquaresNs: durations.reduce((sum, ns) => sum + ns * ns, 0),
    maxNs: Math.max(0, ...durations),
    overflow: 0,
    slo: SLO_EDGES_NS.map((edge) => durations.filter((ns) => ns <= edge).length),
    buckets: [...counts].toSorted(([a], [b]) => a - b).flat(),
    ...part,
  }
}

export function frameOf(timeMs: number, latency: LatencySeries[], part: Partial<Frame> = {}): Frame {
  return { seq: timeMs / 1000, timeMs, durationMs: 1000, latency, marks: [], ...part }
}
