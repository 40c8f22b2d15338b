// Turns whatever was thrown into an RFC 9457 problem.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, errorTable, isErrorCode } from './error-table.js'
import { faultSentence, type SchemaFault, withValue } from './schema-faults.js'
import type { Problem } from './schemas/problem.js'
import { namePatterns, nameRule } from './schemas/words.js'
import { english, saidOf, say, type Sentence } from './sentences/sentence.js'

export interface FailureOptions {
  field?: string
  /** Response headers that belong to the failure, such as Allow. */
  headers?: Record<string, string>
}

/** A failure that the gateway itself found. Engine errors have the same `code`, `message`, `field`, `retryable`. */
export class GatewayError extends Error {
  readonly code: ErrorCode
  readonly field: string | undefined
  readonly headers: Record<string, string>
  readonly said: Sentence | undefined

  constructor(code: ErrorCode, message: string | Sentence, options: FailureOptions = {}) {
    super(typeof message === 'string' ? message : english(message))
    this.said = typeof message === 'string' ? undefined : message
    this.name = 'GatewayError'
    this.code = code
    this.field = options.field
    this.headers = options.headers ?? {}
  }
}

export interface Failure {
  code: ErrorCode
  message: string
  field: string | undefined
  retryable: boolean
  headers: Record<string, string>
  /** What `message` was made of, if that is known. */
  said?: Sentence | undefined
}

/** Fastify's own errors that a client can cause. */
const frameworkCodes = new Map<unknown, ErrorCode>([
  ['FST_ERR_NOT_FOUND', 'route_not_found'],
  ['FST_ERR_BAD_URL', 'url_invalid'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'route_not_found'],
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'body_too_large'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'media_type_unsupported'],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'body_truncated'],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', 'body_missing'],
  ['FST_ERR_CTP_INVALID_JSON_BODY', 'json_invalid'],
])

/** Retryable codes of the gateway itself; the engine marks its own. */
const retryableCodes: ReadonlySet<ErrorCode> = new Set([
  'closed',
  'data_directory_unavailable',
  'audit_unavailable',
  'memory_busy',
  'too_many_logins',
  'too_many_requests',
  'too_many_streams',
  'too_many_connections',
  'overloaded',
  'idempotency_key_in_use',
  'body_timeout',
  'request_timeout',
])

/** Reads any thrown value. An unknown error becomes `internal`, and its text does not reach the client. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Error) {
    const { code, field, retryable, headers, said } = error as Error & Partial<Failure>
    if (isErrorCode(code)) {
      return {
        code,
        message: error.message,
        field,
        retryable: retryable ?? retryableCodes.has(code),
        headers: headers ?? {},
        said,
      }
    }
    const fastifyError = error as FastifyError
    if (fastifyError.validation !== undefined) return validationFailure(fastifyError)
    const known = frameworkCodes.get(code)
    if (known !== undefined) return { ...plain(known), message: error.message }
    if (fastifyError.statusCode === 503) return failing('closed', say('the server is closing'))
  }
  return failing('internal', say('the server failed; its log has the details'))
}

const plain = (code: ErrorCode): Failure => ({
  code,
  message: '',
  field: undefined,
  retryable: retryableCodes.has(code),
  headers: {},
})

const failing = (code: ErrorCode, said: Sentence, field?: string): Failure => ({
  ...plain(code),
  message: english(said),
  field,
  said,
})

/** Names the field at fault: `storage.engine`, not a JSON pointer. */
function validationFailure(error: FastifyError): Failure {
  const first: (SchemaFault & { instancePath: string }) | undefined = error.validation?.[0]
  const where =
    { body: 'body', querystring: 'query', params: 'path', headers: 'headers' }[String(error.validationContext)] ??
    'body'
  const path = (first?.instancePath ?? '').slice(1).replaceAll('/', '.')
  const inside = (name: unknown) => (path === '' ? String(name) : `${path}.${String(name)}`)
  if (first?.keyword === 'additionalProperties') {
    const field = inside(first.params['additionalProperty'])
    return failing('field_unknown', say('{field} is not a field of the {where}', { field, where }), field)
  }
  if (first?.keyword === 'required') {
    const field = inside(first.params['missingProperty'])
    return failing('field_missing', say('the {where} needs {field}', { field, where }), field)
  }
  const field = path === '' ? where : path
  if (first !== undefined && namePatterns.includes(first.params['pattern'])) {
    return failing(
      'name_invalid',
      withValue(say('{field} must be {rule}', { field, rule: { message: nameRule } }), first),
      field,
    )
  }
  return failing('field_invalid', faultSentence(field, error.validation), field)
}

/** `base`: the path below which clients reach the server. */
export function toProblem(failure: Failure, request: { url: string; id: string }, base = ''): Problem {
  const { status, title } = errorTable[failure.code]
  const query = request.url.indexOf('?')
  const path = query < 0 ? request.url : request.url.slice(0, query)
  return {
    type: `${base}/docs/errors#${failure.code}`,
    title,
    status,
    detail: failure.message,
    ...saidOf(failure.said),
    instance: path === '' ? '' : base + path,
    code: failure.code,
    ...(failure.field !== undefined && { field: failure.field }),
    retryable: failure.retryable,
    requestId: request.id,
  }
}

/** Headers of a failure, such as Retry-After of a 503 or 507. */
export function failureHeaders(failure: Failure): Record<string, string> {
  const { status } = errorTable[failure.code]
  const headers = { ...failure.headers }
  if (status === 401) headers['www-authenticate'] ??= 'Bearer realm="tessera"'
  // A closing server is not asked again, but the next one at its address is.
  if (failure.code === 'closed' || (failure.retryable && status >= 500)) headers['retry-after'] ??= '1'
  return headers
}

/** Fastify's error handler for everything but /v1. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error)
  const { status } = errorTable[failure.code]
  request.failure = failure.code
  // That something is not supported is no failure.
  if (status >= 500 && status !== 501) request.log.error({ err: error, code: failure.code }, 'request failed')
  // The unread rest of a body must not hold the connection.
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (!request.raw.complete && (length ?? encoding) !== undefined) reply.header('connection', 'close')
  return reply
    .code(status)
    .header('x-request-id', request.id)
    .headers(failureHeaders(failure))
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send(toProblem(failure, { url: request.url, id: request.id }, request.server.config.basePath))
}
