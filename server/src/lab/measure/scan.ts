// Scans for experiments: they read every body and return none.
import { setImmediate } from 'node:timers/promises'
import type { Job } from '../../schemas/jobs/jobs.js'
import type { ScanRequest, StreamSummary } from '../../schemas/records/search.js'
import { CallError } from '../caller.js'
import type { Bench } from '../experiment.js'

/** A filter on a bin that all records have, so that the scan must read every body. */
const READ_ALL = { read: { op: 'count', bin: 'value' } }

/**
 * Scans a set of single-bin records. Returns the summary of the engine with its own time, or undefined if the scan took longer than
 * `mostMs` and was stopped.
 *
 * @throws CallError, or the reason of the signal
 */
export async function scan(
  { api, signal }: Bench,
  namespace: string,
  request: ScanRequest & { mostMs?: number },
): Promise<StreamSummary | undefined> {
  signal.throwIfAborted()
  const { mostMs, ...body } = request
  let over = false
  const answer = api
    .call<{ summary: StreamSummary }>('POST', `/namespaces/${namespace}/scan`, { ...body, aggregate: READ_ALL })
    .finally(() => {
      over = true
    })
  let stopping: Promise<void> | undefined
  const stop = (): void => {
    // A scan that cannot be stopped ends by itself, or when the gateway closes.
    stopping ??= abortScans(api, namespace, () => over).catch(() => undefined)
  }
  signal.addEventListener('abort', stop, { once: true })
  const timer = mostMs === undefined ? undefined : setTimeout(stop, mostMs)
  try {
    return (await answer).summary
  } catch (error) {
    signal.throwIfAborted()
    if (stopping !== undefined && error instanceof CallError && error.code === 'aborted') return undefined
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    await stopping
  }
}

/** Aborts the scans of a namespace until `over`, because the newest may not be a job yet. */
async function abortScans(api: Bench['api'], namespace: string, over: () => boolean): Promise<void> {
  while (!over()) {
    const { items } = await api.call<{ items: Job[] }>('GET', `/jobs?namespace=${namespace}&kind=scan&state=running`)
    for (const { id } of items) {
      // It may have ended meanwhile, which is fine.
      await api.call('DELETE', `/jobs/${id}`).catch(() => undefined)
      await api.call('GET', `/jobs/${id}?wait=1s`)
    }
    // Calls answered from memory give the event loop no turn, but the answer of the scan needs one.
    await setImmediate()
  }
}
