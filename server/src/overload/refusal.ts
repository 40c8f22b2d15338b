// What a refused request is answered under overload: ready texts, without a route, a hook or a line in the log.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorTable } from '../error-table.js'
import { requestId } from '../requests/request-id.js'

/** A refused body up to this size is read and dropped; for a longer one the connection is closed. */
const DROPPED_BODY_MAX = 64 * 1024
const RETRY_AFTER_S = '1'
const COMPATIBLE = /^\/v[12]\//
const MESSAGE = 'the server is overloaded; try again later'

/** `base`: the path below which clients reach the server. */
export function refuse(request: IncomingMessage, response: ServerResponse, base: string): void {
  const url = request.url ?? ''
  const id = requestId(request)
  const compatible = COMPATIBLE.test(url)
  const body = compatible ? compatibleBody : problem(url, id, base)
  const headers = [
    'content-type',
    compatible ? 'application/json' : 'application/problem+json',
    'content-length',
    String(Buffer.byteLength(body)),
    'retry-after',
    RETRY_AFTER_S,
    'cache-control',
    'no-store',
    'x-request-id',
    id,
  ]
  if (!isShort(request)) headers.push('connection', 'close')
  response.writeHead(errorTable.overloaded.status, headers)
  response.end(body)
}

/** Whether the rest of the body is small enough to read and drop. */
function isShort({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return false
  return Number(headers['content-length'] ?? 0) <= DROPPED_BODY_MAX
}

const compatibleBody = JSON.stringify({ message: MESSAGE, inDoubt: false })
const { status, title } = errorTable.overloaded
const afterType = `/docs/errors#overloaded",${JSON.stringify({ title, status, detail: MESSAGE }).slice(1, -1)},"instance":`
const afterInstance = `,"code":"overloaded","retryable":true,"requestId":`

function problem(url: string, id: string, base: string): string {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  return `{"type":"${base}${afterType}${JSON.stringify(base + path)}${afterInstance}${JSON.stringify(id)}}`
}
