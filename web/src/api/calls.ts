import { useSyncExternalStore } from 'react'

/** One call to the REST API, as the footer of a page shows it. Repeated polls of one path share an entry. */
export interface Call {
  id: number
  method: string
  path: string
  status: number | 'stream' | 'failed' | undefined
  milliseconds: number | undefined
  times: number
  body: string | undefined
}

const LIMIT = 60
let calls: readonly Call[] = []
let nextId = 1
const listeners = new Set<() => void>()

function publish(next: readonly Call[]): void {
  calls = next
  for (const listener of listeners) listener()
}

/** Records the start of a call; the returned function records its end. */
export function beginCall(method: string, path: string, body?: string): (status: Call['status']) => void {
  const startedAt = performance.now()
  const same = calls.find((call) => call.method === method && call.path === path && call.body === body)
  const call: Call = {
    id: same?.id ?? nextId++,
    method,
    path,
    status: undefined,
    milliseconds: undefined,
    times: (same?.times ?? 0) + 1,
    body,
  }
  const update = (changed: Call): void => {
    const known = calls.some((entry) => entry.id === changed.id)
    publish(
      known ? calls.map((entry) => (entry.id === changed.id ? changed : entry)) : [changed, ...calls].slice(0, LIMIT),
    )
  }
  if (same === undefined) update(call)
  return (status) => update({ ...call, status, milliseconds: performance.now() - startedAt })
}

/** Called when the page changes: the footer shows what this page called (and the stream that stays open). */
export function clearCalls(): void {
  publish(calls.filter((call) => call.status === 'stream'))
}

export function useCalls(): readonly Call[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => calls,
  )
}
