// Runs of the load generator, from the native module's JSON to the API's.
import type { Workload } from '../schemas/jobs/workloads.js'

/** A run as its file holds it: times are Unix milliseconds. */
export interface NativeRun extends Omit<Workload, 'createdAt' | 'startedAt' | 'endedAt'> {
  createdAtMs: number
  startedAtMs?: number
  endedAtMs?: number
}

const time = (ms: number): string => new Date(ms).toISOString()

export function workloadOf({ createdAtMs, startedAtMs, endedAtMs, ...run }: NativeRun): Workload {
  return {
    ...run,
    createdAt: time(createdAtMs),
    ...(startedAtMs !== undefined && { startedAt: time(startedAtMs) }),
    ...(endedAtMs !== undefined && { endedAt: time(endedAtMs) }),
  }
}
