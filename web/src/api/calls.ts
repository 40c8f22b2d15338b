import { useSyncExternalStore } from 'react'

/** The request as shown to the user, without credentials. */
export interface SentParts {
  headers?: Record<string, string> | undefined
  body?: string | undefined
  /** name of the file that was sent as the body */
  file?: string | undefined
}

/** One call to the REST API, as the footer of a page shows it. Repeated polls of one path share an entry. */
export interface Call {
  id: number
  method: string
  path: string
  sent: SentParts
  status: number | 'stream' | 'failed' | undefined
  milliseconds: number | undefined
  times: number
}

const LIMIT = 60
/** What is sent again and again while somebody types is one entry, with the last body. */
const REPEATED = 'PUT /api/v1/queries/open'
let calls: readonly Call[] = []
let nextId = 1
const listeners = new Set<() => void>()

function publish(next: readonly Call[]): void {
  calls = next
  for (const listener of listeners) listener()
}

/** Headers that change the effect or the answer of a call. */
const TELLING = ['Accept', 'Content-Type', 'Content-Encoding', 'If-Match', 'If-None-Match', 'X-Confirm']

export function tellingHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    TELLING.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
}

/** Records the start of a call; the returned function records its end. */
export function beginCall(method: string, path: string, sent: SentParts = {}): (status: Call['status']) => void {
  const startedAt = performance.now()
  const text = JSON.stringify(sent)
  const isRepeated = `${method} ${path}` === REPEATED
  const same = calls.find(
    (call) => call.method === method && call.path === path && (isRepeated || JSON.stringify(call.sent) === text),
  )
  const call: Call = {
    id: same?.id ?? nextId++,
    method,
    path,
    sent,
    status: undefined,
    milliseconds: undefined,
    times: (same?.times ?? 0) + 1,
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

/** The calls so far, newest first. */
export const recordedCalls = (): readonly Call[] => calls

export function useCalls(): readonly Call[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, recordedCalls)
}
