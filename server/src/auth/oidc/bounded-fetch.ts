// Requests to a provider: to HTTPS or this machine only, and with a bounded answer. The time is bounded by the caller.
import { isSafeIssuer } from '../../network/safe-issuer.js'

/** Metadata, keys and tokens are a few KiB. */
const ANSWER_BYTES_MAX = 1024 * 1024

export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  if (!isSafeIssuer(url)) throw new Error(`${new URL(url).origin} is neither HTTPS nor this machine`)
  const response = await fetch(url, options)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`the provider answered more than ${ANSWER_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  const { status, statusText, headers } = response
  const empty = status === 204 || status === 205 || status === 304
  return new Response(empty ? null : Buffer.concat(chunks), { status, statusText, headers })
}
