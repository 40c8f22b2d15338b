// Headers of HTTP/2 as those of HTTP/1.1, and back.
import type { IncomingMessage } from 'node:http'
import { constants, type OutgoingHttpHeaders, sensitiveHeaders } from 'node:http2'

/** Headers of one connection alone. HTTP/2 has none of them. */
const OF_A_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])
/** They take part in no compression, so that nobody can guess them by lengths. */
const SECRETS = ['set-cookie']

const { HTTP2_HEADER_AUTHORITY, HTTP2_HEADER_METHOD, HTTP2_HEADER_PATH, HTTP2_HEADER_STATUS } = constants

export interface Head {
  method: string
  path: string
  /** Names and values in turn. */
  headers: string[]
}

/** `raw`: names and values in turn, as they came. `hasBody`: its stream goes on behind the head. */
export function headOf(raw: readonly string[], hasBody: boolean): Head {
  const pseudo: Record<string, string> = {}
  const fields: [string, string][] = []
  const cookies: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]]
    if (name.startsWith(':')) pseudo[name] = value
    // A client may send each cookie by itself.
    else if (name === 'cookie') cookies.push(value)
    else if (name !== 'te') fields.push([name, value])
  }
  const authority = pseudo[HTTP2_HEADER_AUTHORITY]
  // Another `Host` beside it makes two, which are refused.
  const others =
    authority === undefined ? fields : fields.filter(([name, value]) => name !== 'host' || value !== authority)
  const headers = [
    ...(authority === undefined ? [] : ['host', authority]),
    ...others.flat(),
    ...(cookies.length === 0 ? [] : ['cookie', cookies.join('; ')]),
    'connection',
    'close',
  ]
  const method = pseudo[HTTP2_HEADER_METHOD] ?? ''
  const known = fields.some(([name]) => name === 'content-length')
  if (hasBody && !known) headers.push('transfer-encoding', 'chunked')
  else if (!hasBody && !known && mayHaveBody(method)) headers.push('content-length', '0')
  return { method, path: pseudo[HTTP2_HEADER_PATH] ?? '', headers }
}

/** Without a length, a client of HTTP/1.1 would announce pieces. */
const mayHaveBody = (method: string): boolean => !['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'].includes(method)

export function answerHeadersOf({ statusCode, headersDistinct }: IncomingMessage): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { [HTTP2_HEADER_STATUS]: statusCode }
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    if (OF_A_CONNECTION.has(name)) continue
    const [first, ...others] = values
    headers[name] = others.length === 0 ? first : values
  }
  return { ...headers, [sensitiveHeaders]: SECRETS }
}
