// Live metrics as an iterator that connects again.
import type { Client } from './client.js'
import { EventParser } from './events.js'
import { parseJson } from './json.js'
import { live as liveOperation } from './operations.gen.js'
import { ApiProblem } from './problem.js'
import { waitBefore, waitFor } from './retry.js'
import type { components, operations } from './schema.gen.js'

export type LiveFrame = components['schemas']['LiveFrame']

export interface LiveOptions {
  query?: NonNullable<operations['live']['parameters']['query']>
  signal?: AbortSignal
  /** Without anything for so long, the connection counts as lost. Default: 20,000 ms; the server says something each 15 s. */
  silenceMs?: number
  /** Waits before it connects again, or rejects once the signal is aborted. */
  wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

const LONGEST_WAIT_MS = 5000
const SILENCE_MS = 20_000

/**
 * Yields a frame each second until the loop is left or the signal is aborted. A lost connection is made again; frames of
 * the time between are missing, which shows in `seq`.
 *
 * @throws ApiProblem if the server refuses: the credentials have ended, or may not see this
 */
export async function* live(client: Client, options: LiveOptions = {}): AsyncGenerator<LiveFrame, void, undefined> {
  const { wait = waitFor, signal } = options
  for (let again = 0; ; again += 1) {
    try {
      for await (const frame of connection(client, options)) {
        again = 0
        yield frame
      }
    } catch (error) {
      if (signal?.aborted === true) return
      if (error instanceof ApiProblem && !isLost(error)) throw error
    }
    await wait(waitBefore(again, LONGEST_WAIT_MS, 0), signal)
  }
}

const isLost = ({ status, retryable, code }: ApiProblem): boolean =>
  retryable || code === 'closed' || (status >= 502 && status <= 504)

async function* connection(client: Client, options: LiveOptions): AsyncGenerator<LiveFrame, void, undefined> {
  const { query, signal, silenceMs = SILENCE_MS } = options
  const own = new AbortController()
  const ends = signal === undefined ? own.signal : AbortSignal.any([own.signal, signal])
  // Retries belong to `live`.
  const response = await client.with({ retries: 0 }).open(liveOperation, { ...(query && { query }), signal: ends })
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader()
  const decoder = new TextDecoder()
  const parser = new EventParser()
  try {
    for (;;) {
      const timer = setTimeout(() => own.abort(), silenceMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(timer))
      if (done) return
      for (const { event, data } of parser.push(decoder.decode(value, { stream: true }))) {
        if (event === 'frame') yield parseJson(data) as LiveFrame
        else if (event === 'end') throw ended(data)
      }
    }
  } finally {
    own.abort()
  }
}

/** The last event says why there are no more. */
function ended(data: string): ApiProblem {
  const { code, message } = JSON.parse(data) as { code: string; message: string }
  return new ApiProblem(
    code === 'auth_required' ? 401 : 503,
    code,
    message,
    message,
    undefined,
    code === 'closed',
    undefined,
  )
}
