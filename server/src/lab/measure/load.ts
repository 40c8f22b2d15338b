// Runs the load generator for an experiment.
import type { Workload, WorkloadSpec } from '../../schemas/jobs/workloads.js'
import type { Bench } from '../experiment.js'

export type Result = NonNullable<Workload['result']>

/** Longest wait in one call, seconds; an abort takes effect after it. */
const WAIT_SECONDS = 1

/**
 * Runs one workload and deletes its record, unless it has a name.
 *
 * @throws CallError, or Error if the run failed or was aborted
 */
export async function measure({ api, signal }: Bench, spec: WorkloadSpec): Promise<Result> {
  signal.throwIfAborted()
  let run = await api.call<Workload>('POST', '/workloads', spec, spec.namespace)
  const place = `/workloads/${run.id}`
  while (run.endedAt === undefined) {
    if (signal.aborted) await api.call('DELETE', place)
    run = await api.call<Workload>('GET', `${place}?wait=${WAIT_SECONDS}s`)
  }
  if (spec.name === undefined) await api.call('DELETE', place)
  signal.throwIfAborted()
  if (run.result === undefined || run.state !== 'done') {
    throw new Error(`a workload ended in state ${run.state}: ${run.error?.message ?? 'someone aborted it'}`)
  }
  return run.result
}
