// Requests that are no HTTP, or too slow or too big in the head, are answered on the bare socket, as problems like all others.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorCode, errorTable } from '../error-table.js'
import { GatewayError, toFailure, toProblem } from '../errors.js'
import { requestId } from './headers.js'

const codes: Record<string, { code: ErrorCode; detail: string }> = {
  HPE_HEADER_OVERFLOW: { code: 'headers_too_large', detail: 'the request head is larger than 64 KiB' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'request_timeout', detail: 'the request head took too long' },
  HPE_INVALID_EOF_STATE: { code: 'body_truncated', detail: 'the connection ended before the body did' },
  HPE_INVALID_CONTENT_LENGTH: { code: 'content_length_invalid', detail: 'Content-Length is not a number of bytes' },
  HPE_UNEXPECTED_CONTENT_LENGTH: {
    code: 'content_length_invalid',
    detail: 'Content-Length does not fit Transfer-Encoding',
  },
  HPE_INVALID_TRANSFER_ENCODING: {
    code: 'content_length_invalid',
    detail: 'Content-Length does not go with Transfer-Encoding',
  },
  HPE_INVALID_METHOD: { code: 'request_malformed', detail: 'that is no HTTP method' },
}

/** Sockets whose last words wait for answers to earlier requests. */
const waiting = new WeakSet<Socket>()

/** Fastify's clientErrorHandler. */
export function answerClientError(error: NodeJS.ErrnoException & { bytesParsed?: number }, socket: Socket): void {
  // A connection that was reset has nobody to answer.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  if (waiting.has(socket)) return
  const current = answering(socket)
  // Requests that came whole before the one at fault are answered first, in their order.
  if (current?.req.complete === true) {
    waiting.add(socket)
    current.once('close', () => {
      waiting.delete(socket)
      answerClientError(error, socket)
    })
    return
  }
  // One whose answer has begun cannot take another.
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

/** Node's answer to a request that expects something other than 100-continue has no body; this one has a problem. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const id = requestId(request)
  const detail = `the server cannot meet Expect: ${request.headers.expect ?? ''}`
  const body = problemText('expectation_failed', detail, { url: request.url ?? '', id })
  const headers = { 'content-type': 'application/problem+json', 'x-request-id': id, connection: 'close' }
  response.writeHead(errorTable.expectation_failed.status, headers).end(body)
}

const problemText = (code: ErrorCode, detail: string, request: { url: string; id: string }): string =>
  JSON.stringify(toProblem(toFailure(new GatewayError(code, detail)), request))

/** Node keeps the response that is under way on the socket. */
function answering(socket: Socket & { _httpMessage?: ServerResponse | null }): ServerResponse | null | undefined {
  // oxlint-disable-next-line no-underscore-dangle -- the only place where Node says so
  return socket._httpMessage
}
