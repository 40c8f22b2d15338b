// Jobs that an experiment starts and waits for.
import type { Job } from '../../schemas/jobs/jobs.js'
import type { RecordSet } from '../../schemas/namespaces/sets.js'
import type { Bench } from '../experiment.js'

/** Longest wait in one call, seconds; an abort takes effect after it. */
const WAIT_SECONDS = 1

/**
 * Waits for a job; aborts it if the run is aborted.
 *
 * @throws CallError, the reason of the signal, or Error if the job failed or someone else aborted it
 */
export async function ended({ api, signal }: Bench, { id }: Pick<Job, 'id'>): Promise<Job> {
  let job = await api.call<Job>('GET', `/jobs/${id}`)
  while (job.endedAt === undefined) {
    if (signal.aborted) await api.call('DELETE', `/jobs/${id}`)
    job = await api.call<Job>('GET', `/jobs/${id}?wait=${WAIT_SECONDS}s`)
  }
  signal.throwIfAborted()
  if (job.state !== 'done') {
    throw new Error(
      `a job of kind ${job.kind} ended in state ${job.state}: ${job.error?.message ?? 'someone aborted it'}`,
    )
  }
  return job
}

/** Switches the index of a set on or off, waits until it is built, and returns its bytes. */
export async function switchIndex(bench: Bench, namespace: string, set: string, on: boolean): Promise<number> {
  bench.signal.throwIfAborted()
  const place = `/namespaces/${namespace}/sets/${set}`
  const look = (): Promise<RecordSet> => bench.api.call<RecordSet>('GET', place)
  const { index } = await look()
  if ((index.state === 'off') !== on) return index.bytes
  await ended(bench, await bench.api.call<Job>('PATCH', place, { index: on }))
  return (await look()).index.bytes
}
