import type { LatencySeries } from '../api/types'
import type { Frame } from './frame'

/** Merges frames of one column into one frame: counts added, marks concatenated, gauges of the newest kept. */
export function compactFrames(frames: Frame[]): Frame {
  const last = frames[frames.length - 1]!
  if (frames.length === 1) return last
  const merged = new Map<string, LatencySeries>()
  for (const frame of frames) {
    for (const series of frame.latency) {
      const key = `${series.namespace}\n${series.op}\n${series.outcome}\n${series.side}`
      const seen = merged.get(key)
      merged.set(key, seen === undefined ? series : addPair(seen, series))
    }
  }
  return {
    ...last,
    durationMs: frames.reduce((sum, frame) => sum + frame.durationMs, 0),
    latency: [...merged.values()],
    marks: frames.flatMap((frame) => frame.marks),
  }
}

function addPair(a: LatencySeries, b: LatencySeries): LatencySeries {
  return {
    ...a,
    count: a.count + b.count,
    sumNs: a.sumNs + b.sumNs,
    sumSquaresNs: a.sumSquaresNs + b.sumSquaresNs,
    maxNs: Math.max(a.maxNs, b.maxNs),
    overflow: a.overflow + b.overflow,
    slo: a.slo.map((count, i) => count + (b.slo[i] ?? 0)),
    buckets: addSparse(a.buckets, b.buckets),
  }
}

/** Adds two ascending lists of (bucket, count) pairs. */
export function addSparse(a: number[], b: number[]): number[] {
  const out: number[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const left = a[i] ?? Infinity
    const right = b[j] ?? Infinity
    if (left === right) out.push(left, a[i + 1]! + b[j + 1]!)
    else if (left < right) out.push(left, a[i + 1]!)
    else out.push(right, b[j + 1]!)
    if (left <= right) i += 2
    if (right <= left) j += 2
  }
  return out
}
