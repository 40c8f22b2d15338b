// Runs of the load generator, from the native module's JSON to the API's.
import type { Workload } from '../schemas/jobs/workloads.js'
import { withSaid } from './native-shapes.js'

/** A run as its file holds it: times are Unix milliseconds. */
export interface NativeRun extends Omit<Workload, 'createdAt' | 'startedAt' | 'endedAt' | 'error'> {
  createdAtMs: number
  startedAtMs?: number
  endedAtMs?: number
  error?: { code: string; message: string; said?: string }
}

const time = (ms: number): string => new Date(ms).toISOString()

export function workloadOf({ createdAtMs, startedAtMs, endedAtMs, error, ...run }: NativeRun): Workload {
  return {
    ...run,
    ...(error !== undefined && { error: withSaid(error) }),
    createdAt: time(createdAtMs),
    ...(startedAtMs !== undefined && { startedAt: time(startedAtMs) }),
    ...(endedAtMs !== undefined && { endedAt: time(endedAtMs) }),
  }
}
