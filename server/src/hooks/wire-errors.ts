// Answers what is no request for a route, as problems: on the bare socket, or before the router. Node would close the connection,
// or answer without a body.
import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ErrorCode, errorTable } from '../error-table.js'
import { letAsk } from '../bodies/invite.js'
import { GatewayError, toFailure, toProblem } from '../errors.js'
import { answering } from '../network/answering.js'
import { requestId } from '../requests/request-id.js'

const codes: Record<string, { code: ErrorCode; detail: string }> = {
  HPE_HEADER_OVERFLOW: { code: 'headers_too_large', detail: 'the request head must be at most 64 KiB' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: 'body_too_large',
    detail: 'the extensions of the chunks must be at most 16 KiB',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', detail: 'the request head did not arrive in time' },
  HPE_INVALID_EOF_STATE: { code: 'body_truncated', detail: 'the connection closed before the whole body arrived' },
  HPE_INVALID_CONTENT_LENGTH: { code: 'content_length_invalid', detail: 'Content-Length must be a number of bytes' },
  HPE_UNEXPECTED_CONTENT_LENGTH: {
    code: 'content_length_invalid',
    detail: 'Content-Length must come once, and not with Transfer-Encoding',
  },
  HPE_INVALID_TRANSFER_ENCODING: {
    code: 'content_length_invalid',
    detail: 'Transfer-Encoding must be chunked, and not come with Content-Length',
  },
  HPE_INVALID_VERSION: { code: 'http_version_unsupported', detail: 'the request must be HTTP/1.1' },
  HPE_INVALID_METHOD: { code: 'request_malformed', detail: 'the request does not begin with an HTTP method' },
}

/** `reason`: in the words of Node's parser. */
type ParseError = NodeJS.ErrnoException & { bytesParsed?: number; reason?: string; rawPacket?: unknown }

/** Methods that routes have. */
const SERVED = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
/** Methods that the router judges: a path knows its own, so it can say which there are. */
export const METHODS = [...SERVED, 'QUERY', 'TRACE'] as const
const methods: ReadonlySet<string | undefined> = new Set(METHODS)
const allow = SERVED.join(', ')
/** The first line of a request, whatever its method is. */
const REQUEST_LINE = /^([\w!#$%&'*+.^`|~-]{1,64}) [\x21-\x7e]+ HTTP\/1\.[01]\r?$/
const VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1'])
/** A name or an address, with a port or without; empty if the target has none. */
const HOST = /^([\w.~!$&'()*+;=%-]*|\[[\da-f:.]+\])(:\d{0,5})?$/i

/** How long a socket stays after its last answer, so that its client reads it. */
const LINGER_MS = 2000
/** Sockets whose error answer waits for answers to earlier requests. */
const waiting = new WeakSet<Socket>()

/** Fastify's clientErrorHandler. */
export function answerClientError(error: ParseError, socket: Socket): void {
  // After a reset there is nobody to answer.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const method = methodIn(error)
  if (method !== undefined)
    return answerOnSocket(socket, 'method_not_allowed', refusalOf({ method }), `allow: ${allow}\r\n`)
  const { code, detail } = (hasVersion(error) ? undefined : codes[String(error.code)]) ?? {
    code: 'request_malformed' as const,
    detail: 'the request is not HTTP/1.1',
  }
  answerOnSocket(socket, code, detail)
}

/** Whether the parser minds what comes behind the version, such as a line that ends with LF alone. */
const hasVersion = ({ code, reason }: ParseError): boolean =>
  code === 'HPE_INVALID_VERSION' && reason === 'Expected CRLF after version'

/** The method of a request that the parser does not know, if the rest of its line is HTTP. */
function methodIn({ code, rawPacket, bytesParsed = 0 }: ParseError): string | undefined {
  if (code !== 'HPE_INVALID_METHOD' || !Buffer.isBuffer(rawPacket)) return undefined
  const begin = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1
  const end = rawPacket.indexOf('\n', begin)
  return end === -1 ? undefined : REQUEST_LINE.exec(rawPacket.toString('latin1', begin, end))?.[1]
}

/** For the event `connect` of the server: a request for a tunnel. */
export function refuseTunnel(request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  answerOnSocket(socket as Socket, 'method_not_allowed', refusalOf(request), `allow: ${allow}\r\n`)
}

/** The same for HTTP/2, which has no bare socket. */
export function refusalOfTunnel(): { status: number; headers: Record<string, string>; body: string } {
  const body = problemText('method_not_allowed', refusalOf({ method: 'CONNECT' }), { url: '', id: '' })
  return {
    status: errorTable.method_not_allowed.status,
    headers: { 'content-type': 'application/problem+json', allow },
    body,
  }
}

function answerOnSocket(socket: Socket, code: ErrorCode, detail: string, headers = ''): void {
  if (waiting.has(socket)) return
  const current = answering(socket)
  // Complete requests before the faulty one are answered first, in order.
  if (current?.req.complete === true) {
    waiting.add(socket)
    current.once('close', () => {
      waiting.delete(socket)
      if (socket.writable) answerOnSocket(socket, code, detail, headers)
      else socket.destroy()
    })
    return
  }
  // An answer has already begun, so the socket cannot take another.
  if (current?.headersSent === true) {
    socket.destroy()
    return
  }
  const { status } = errorTable[code]
  const body = problemText(code, detail, { url: '', id: '' })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: application/problem+json\r\n` +
      `${headers}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
  socket.resume()
  // A client that never closes must not keep it.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

/** The handler to call for each request instead of `handle`: it refuses requests that the router cannot judge. */
export function refuseOdd(handle: RequestListener): RequestListener {
  return (request, response) => {
    const { httpVersion } = request
    const fault = faultOf(request)
    if (!VERSIONS.has(httpVersion))
      refuse(request, response, 'http_version_unsupported', `the request must be HTTP/1.1, got HTTP/${httpVersion}`)
    else if (fault !== undefined) refuse(request, response, 'request_malformed', fault)
    else if (request.method === 'OPTIONS' && request.url === '*')
      response.writeHead(204, { allow, 'x-request-id': requestId(request) }).end()
    else if (!methods.has(request.method)) {
      response.setHeader('allow', allow)
      refuse(request, response, 'method_not_allowed', refusalOf(request))
    } else handle(request, response)
  }
}

const refusalOf = ({ method }: { method?: string | undefined }): string =>
  `the method must be one of ${allow}, got ${method ?? 'none'}`

/** RFC 9112, 3.2: a request of HTTP/1.1 has one `Host`. */
function faultOf({ httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  let host: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue
    if (host !== undefined) return 'Host must come once'
    host = rawHeaders[at + 1] ?? ''
  }
  if (host === undefined) return httpVersion === '1.1' ? 'a request of HTTP/1.1 needs Host' : undefined
  return HOST.test(host) ? undefined : `Host must be a name or an address, got ${JSON.stringify(host.slice(0, 40))}`
}

/** Node takes every list that has 100-continue. `serve` is called if there is nothing else in it. */
export function continueOrRefuse(serve: RequestListener): RequestListener {
  return (request, response) => {
    const wanted = (request.headers.expect ?? '').split(',').map((item) => item.trim().toLowerCase())
    if (wanted.some((item) => item !== '100-continue')) return refuseExpectation(request, response)
    letAsk(request, response)
    serve(request, response)
  }
}

/** Answers an unknown expectation with a problem; Node's own answer has no body. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  refuse(
    request,
    response,
    'expectation_failed',
    `Expect must be 100-continue, got ${request.headers.expect ?? 'none'}`,
  )
}

function refuse(request: IncomingMessage, response: ServerResponse, code: ErrorCode, detail: string): void {
  const id = requestId(request)
  const body = problemText(code, detail, { url: request.url ?? '', id })
  const headers = { 'content-type': 'application/problem+json', 'x-request-id': id, connection: 'close' }
  response.writeHead(errorTable[code].status, headers).end(body)
}

const problemText = (code: ErrorCode, detail: string, request: { url: string; id: string }): string =>
  JSON.stringify(toProblem(toFailure(new GatewayError(code, detail)), request))
