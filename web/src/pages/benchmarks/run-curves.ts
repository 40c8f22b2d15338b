import type { SeriesColour } from '../../charts/spec/spec'
import type { WorkloadLatency, WorkloadResult } from '../../api/types'
import { curveOf, type Curve } from '../../components/percentiles/percentile-spec'
import { totalsOf } from '../../live/latency/summary'
import type { Measured } from '../../live/latency/quantile'
import { runColumns } from '../../live/run-columns'

const NS_PER_MS = 1e6
/** A run tells its latencies in whole microseconds. */
const HALF_US = 500
/** Its percentiles are those of a histogram of two digits, which names the upper end of a bucket. */
const DIGITS = 0.01

const places = [
  [2, 'p50Ms'],
  [10, 'p90Ms'],
  [100, 'p99Ms'],
  [1000, 'p999Ms'],
] as const

/** The percentiles of reads or writes of a run. One from before runs kept histograms has points only. */
export function runCurve(
  name: string,
  colour: SeriesColour,
  result: WorkloadResult,
  op: 'read' | 'write',
  latency: WorkloadLatency,
): Curve {
  const { totals } = totalsOf(runColumns(latency, `${op}s`))
  // A damaged line costs its second, and then the points say more.
  if (totals.n === result[op].count) return curveOf(name, colour, totals)
  const { count: n, maxMs } = result[op]
  const measured = new Map(places.map(([oneIn, field]) => [oneIn as number, measuredOf(result[op][field], maxMs)]))
  return { name, colour, n, places: [...measured.keys()], at: (oneIn) => measured.get(oneIn) }
}

function measuredOf(ms: number, maxMs: number): Measured {
  const value = ms * NS_PER_MS
  return {
    // A logarithmic axis has no zero.
    value: Math.max(HALF_US, value),
    low: Math.max(0, value * (1 - DIGITS) - HALF_US),
    high: Math.min(value, maxMs * NS_PER_MS) + HALF_US,
  }
}
