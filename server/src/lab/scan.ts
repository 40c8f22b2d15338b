// Scans, as an experiment uses them: every body is read and none travels.
import { setImmediate } from 'node:timers/promises'
import type { Job } from '../schemas/jobs.js'
import type { ScanRequest, StreamSummary } from '../schemas/search.js'
import { CallError } from './caller.js'
import type { Bench } from './experiment.js'

/** Asks of every record whether it has the bin that all have, for which its body is needed. */
const READ_ALL = { read: { op: 'count', bin: 'value' } }

/**
 * Scans a set of single-bin records; what the engine says of it, its own time among that, or undefined where it took longer than
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
    // A scan that cannot be stopped ends by itself, or with the gateway that closes.
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

/** Aborts the scans of a namespace until `over`: the one that was just asked for may not be a job yet. */
async function abortScans(api: Bench['api'], namespace: string, over: () => boolean): Promise<void> {
  while (!over()) {
    const { items } = await api.call<{ items: Job[] }>('GET', `/jobs?namespace=${namespace}&kind=scan&state=running`)
    for (const { id } of items) {
      // It may have ended meanwhile, and that is as good.
      await api.call('DELETE', `/jobs/${id}`).catch(() => undefined)
      await api.call('GET', `/jobs/${id}?wait=1s`)
    }
    // Calls that memory answers leave the event loop no turn, in which the scan's own answer comes.
    await setImmediate()
  }
}
