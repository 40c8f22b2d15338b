import { recordedFetch } from '../../api/http'
import { here } from '../../base-path'
import { parseExact, printExact } from '../../records/json'
import type { Asked } from './asked'

/** Bytes of an answer that the page shows. More of it is not read. */
export const SHOWN_BYTES = 256 * 1024

/** An answer as far as it has come. */
export interface Received {
  status: number
  headers: readonly [name: string, value: string][]
  milliseconds: number
  bytes: number
  text: string
  state: 'arriving' | 'whole' | 'cut' | 'stopped'
}

/**
 * Sends a call with the session of the console, and tells of the answer as it comes.
 * @throws ApiProblem `unreachable` if no answer comes; DOMException `AbortError` if the signal ends it before
 */
export async function sendAsked(
  asked: Asked,
  signal: AbortSignal,
  tell: (received: Received) => void,
): Promise<Received> {
  const startedAt = performance.now()
  const { method, headers, body } = asked
  const response = await recordedFetch(
    new Request(here(asked.path), {
      method,
      headers,
      signal,
      credentials: 'same-origin',
      ...(body !== undefined && { body }),
    }),
  )
  let received: Received = {
    status: response.status,
    headers: [...response.headers],
    milliseconds: performance.now() - startedAt,
    bytes: 0,
    text: '',
    state: 'arriving',
  }
  const update = (part: Partial<Received>): void => {
    received = { ...received, ...part, milliseconds: performance.now() - startedAt }
    tell(received)
  }
  update({})
  const isText = /json|text|yaml|xml|event-stream/.test(response.headers.get('content-type') ?? 'text')
  try {
    await readShown(response.body, isText, update)
  } catch (error) {
    if (!signal.aborted) throw error
    update({ state: 'stopped' })
  }
  if (received.state === 'whole') update({ text: indented(received.text, response.headers.get('content-type')) })
  return received
}

async function readShown(
  stream: ReadableStream<Uint8Array> | null,
  isText: boolean,
  update: (part: Partial<Received>) => void,
): Promise<void> {
  const reader = stream?.getReader()
  const decoder = new TextDecoder()
  let [bytes, text] = [0, '']
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    const part = value?.subarray(0, SHOWN_BYTES - bytes)
    bytes += value?.length ?? 0
    if (isText) text += decoder.decode(part, { stream: !done })
    if (done) return update({ bytes, text, state: 'whole' })
    if (bytes >= SHOWN_BYTES) {
      await reader?.cancel()
      return update({ bytes, text, state: 'cut' })
    }
    update({ bytes, text })
  }
}

/** JSON over several lines, its numbers as they came. */
function indented(text: string, type: string | null): string {
  if (type === null || !/[/+]json\b/.test(type)) return text
  try {
    return printExact(parseExact(text), 2)
  } catch {
    return text
  }
}
