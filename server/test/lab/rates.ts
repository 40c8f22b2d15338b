// Runs at a rate as a test wants them.
import type { Result } from '../../src/lab/measure/load.js'
import type { Pool, Run } from '../../src/lab/measure/pool.js'

type Kind = Result['read']

const kind = (count: number, under1msPct: number): Kind => ({
  count,
  tps: count,
  meanMs: 0.2,
  stdDevMs: 0.1,
  p50Ms: 0.1,
  p90Ms: 0.3,
  p99Ms: 0.9,
  p999Ms: 2,
  maxMs: 4,
  under1msPct,
  under2msPct: 100,
  under8msPct: 100,
  under64msPct: 100,
  serviceMeanMs: 0.1,
  serviceP99Ms: 0.5,
})

export interface Shown {
  seconds?: number
  /** Percent within 1 ms. */
  reads?: number
  writes?: number
  /** Part of what was due that was done. */
  done?: number
  errors?: Record<string, number>
}

/** A run of 95% reads. */
export function runAt(
  rate: number,
  { seconds = 1, reads = 100, writes = 100, done = 1, errors = {} }: Shown = {},
): Run {
  const operations = rate * seconds * done
  const result: Result = {
    elapsedSeconds: seconds + 0.01,
    operations,
    tps: operations / (seconds + 0.01),
    read: kind(operations * 0.95, reads),
    write: kind(operations * 0.05, writes),
    errors,
    timeouts: 0,
    missed: 0,
    cpuMicrosPerOperation: 10,
    cpuPct: rate / 1000,
  }
  const device = { readBytes: 1e6, writtenBytes: 1e5, operations: 100, operationMs: 10, queueMs: 20 }
  return { seconds, result, device }
}

export const poolAt = (rate: number, ...shown: Shown[]): Pool => ({
  rate,
  shape: { threads: 2, window: 64 },
  attempt: 1,
  runs: shown.map((each) => runAt(rate, each)),
})

export const asAttempt = (number: number, pool: Pool): Pool => ({ ...pool, attempt: number })
