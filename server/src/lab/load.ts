// Runs of the load generator, as an experiment uses them.
import type { Workload, WorkloadSpec } from '../schemas/workloads.js'
import type { Bench } from './experiment.js'

export type Result = NonNullable<Workload['result']>

/** Longest wait in one call, seconds: an abort is heeded after it. */
const WAIT_SECONDS = 1

/**
 * Runs one workload and forgets it, unless it has a name to be found by.
 *
 * @throws CallError, or Error where the run failed or was aborted
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
    throw new Error(`a workload ended as ${run.state}: ${run.error?.message ?? 'someone aborted it'}`)
  }
  return run.result
}
