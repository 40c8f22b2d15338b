// Answers malformed requests, and requests with a slow or large head, as problems on the bare socket.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorCode, errorTable } from '../error-table.js'
import { GatewayError, toFailure, toProblem } from '../errors.js'
import { requestId } from '../requests/request-id.js'

const codes: Record<string, { code: ErrorCode; detail: string }> = {
  HPE_HEADER_OVERFLOW: { code: 'headers_too_large', detail: 'the request head must be at most 64 KiB' },
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
  HPE_INVALID_METHOD: { code: 'request_malformed', detail: 'the request does not begin with an HTTP method' },
}

/** Sockets whose error answer waits for answers to earlier requests. */
const waiting = new WeakSet<Socket>()

/** Fastify's clientErrorHandler. */
export function answerClientError(error: NodeJS.ErrnoException & { bytesParsed?: number }, socket: Socket): void {
  // After a reset there is nobody to answer.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  if (waiting.has(socket)) return
  const current = answering(socket)
  // Complete requests before the faulty one are answered first, in order.
  if (current?.req.complete === true) {
    waiting.add(socket)
    current.once('close', () => {
      waiting.delete(socket)
      answerClientError(error, socket)
    })
    return
  }
  // An answer has already begun, so the socket cannot take another.
  if (current?.headersSent === true) {
    socket.destroy()
    return
  }
  const { code, detail } = codes[String(error.code)] ?? {
    code: 'request_malformed' as const,
    detail: 'the request is not HTTP/1.1',
  }
  const { status } = errorTable[code]
  const body = problemText(code, detail, { url: '', id: '' })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

/** Answers an unknown expectation with a problem; Node's own answer has no body. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const id = requestId(request)
  const detail = `Expect must be 100-continue, got ${request.headers.expect ?? 'none'}`
  const body = problemText('expectation_failed', detail, { url: request.url ?? '', id })
  const headers = { 'content-type': 'application/problem+json', 'x-request-id': id, connection: 'close' }
  response.writeHead(errorTable.expectation_failed.status, headers).end(body)
}

const problemText = (code: ErrorCode, detail: string, request: { url: string; id: string }): string =>
  JSON.stringify(toProblem(toFailure(new GatewayError(code, detail)), request))

/** Node keeps the running response on the socket. */
function answering(socket: Socket & { _httpMessage?: ServerResponse | null }): ServerResponse | null | undefined {
  // oxlint-disable-next-line no-underscore-dangle -- the only place where Node says so
  return socket._httpMessage
}
