// What operations have in common: headers of answers, and the refusals that any of them may meet.
import { type ErrorCode, errorTable } from '../error-table.js'

interface Header {
  description: string
  schema: { type: string }
  example: string
}

const header = (description: string, example: string): Header => ({ description, schema: { type: 'string' }, example })

const headers = {
  'X-Request-Id': header('Id of the request, also in the log of the server.', 'f68fc031-22'),
  'Server-Timing': header(
    'Milliseconds up to the first byte: in the engine, and in the gateway.',
    'core;dur=0.041, gateway;dur=0.322',
  ),
  RateLimit: header(
    'Requests that the caller has left, and seconds until all are back. Only if the caller has a limit.',
    '"requests";r=199;t=1',
  ),
  'RateLimit-Policy': header('The limit of the caller. Only if it has one.', '"requests";q=200;w=2'),
  'Retry-After': header('Seconds to wait before the next try.', '1'),
  ETag: header('The version of what was answered. Send it as `If-Match` or `If-None-Match`.', '"JS2dFZBzYXLcvgNO"'),
  Link: header(
    'The next page, and the first one. Relative to the address of this page.',
    '<?limit=100&cursor=MDAwMQ>; rel="next"',
  ),
  Location: header('The address of what was made or begun.', '/api/v1/jobs/001m87358qn00'),
  'X-Job-Id': header('The job that does the work.', '001m87358qn00'),
  'Idempotency-Replayed': header('`true`: this is the answer to an earlier request with the same key.', 'true'),
} as const

type HeaderName = keyof typeof headers

const ALWAYS: readonly HeaderName[] = ['X-Request-Id', 'Server-Timing']
const LIMITED: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy']

const refs = (names: readonly HeaderName[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

interface Refusal {
  name: string
  description: string
  /** One of its codes, and what is told with it. */
  code: ErrorCode
  detail: string
  headers: readonly HeaderName[]
}

const refusals: Readonly<Record<'401' | '403' | '429' | '503', Refusal>> = {
  401: {
    name: 'Unauthorized',
    description: 'No credentials, or wrong ones.',
    code: 'auth_required',
    detail: 'send Authorization: Bearer <token>, or sign in',
    headers: ['X-Request-Id'],
  },
  403: {
    name: 'Forbidden',
    description: 'The caller may not do this, or not from here. `code` says why.',
    code: 'role_required',
    detail: 'this needs the role operator for the namespace "shop"',
    headers: ['X-Request-Id', ...LIMITED],
  },
  429: {
    name: 'TooManyRequests',
    description: 'The caller is over its limit, or sent too many wrong credentials.',
    code: 'too_many_requests',
    detail: 'token:nightly-load may send 100 requests per second',
    headers: ['X-Request-Id', 'Retry-After', ...LIMITED],
  },
  503: {
    name: 'Unavailable',
    description: 'The server is overloaded, recovering or closing. Nothing was done unless `code` says so.',
    code: 'overloaded',
    detail: 'the server has more requests than it can serve in time',
    headers: ['X-Request-Id', 'Retry-After'],
  },
}

export interface Answered {
  parameters?: { name: string; in?: string }[]
  security?: unknown[]
  responses: Record<string, { $ref?: string; description?: string; headers?: object; content?: Content }>
}

export type Content = Record<string, { schema: unknown; example?: unknown; examples?: object }>

/** Answers that need no credentials and are never over a limit. */
const PROBES = new Set(['/healthz', '/readyz'])
const LOGIN = '/api/v1/auth/login'

/** The refusals of an operation, by status: references to those that all share. */
function refusalsOf(url: string, { security }: Answered): (keyof typeof refusals)[] {
  if (PROBES.has(url)) return []
  if (url === LOGIN) return ['401', '403', '429', '503']
  return security?.length === 0 ? ['403'] : ['401', '403', '429', '503']
}

const isChange = (method: string): boolean => method !== 'get'

/** Headers of a good answer. */
function headersOf(method: string, status: string, { parameters = [], security, responses }: Answered): HeaderName[] {
  const names = new Set(parameters.map(({ name }) => name))
  const isVersioned = names.has('if-none-match') || (names.has('if-match') && method !== 'delete')
  const { content = {} } = responses[status] ?? {}
  return [
    ...ALWAYS,
    ...(security?.length === 0 ? [] : LIMITED),
    ...(isVersioned ? ['ETag' as const] : []),
    ...(!isChange(method) && names.has('cursor') ? ['Link' as const] : []),
    ...(status === '202' || (status === '201' && names.has('idempotency-key')) ? ['Location' as const] : []),
    ...('application/x-ndjson' in content ? ['X-Job-Id' as const] : []),
    ...(names.has('idempotency-key') ? ['Idempotency-Replayed' as const] : []),
  ]
}

/** Adds refusals and headers to an operation. `compatible`: of the API with errors of its own. */
export function completeAnswers(url: string, method: string, operation: Answered, compatible: boolean): void {
  const { responses } = operation
  for (const [status, part] of Object.entries(responses)) {
    if (status === '304') part.headers = refs([...ALWAYS, 'ETag'])
    else if (status.startsWith('2')) part.headers = refs(headersOf(method, status, operation))
  }
  for (const status of refusalsOf(url, operation))
    responses[status] ??= { $ref: `#/components/responses/${compatible ? 'Compatible' : ''}${refusals[status].name}` }
}

/** The parts that operations refer to. `problem` and `error`: bodies of the two kinds of failures. */
export function sharedAnswers(problem: Content, error: Content): { headers: object; responses: object } {
  const shown = (content: Content, example: object): Content =>
    Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, { schema, example }]))
  const responses = Object.entries(refusals).flatMap(
    ([status, { name, description, code, detail, headers: names }]) => {
      const { title } = errorTable[code]
      const told = {
        type: `/docs/errors#${code}`,
        title,
        status: Number(status),
        detail,
        instance: '/api/v1/namespaces/shop',
        code,
        retryable: Number(status) >= 429,
        requestId: 'f68fc031-22',
      }
      const part = { description, headers: refs(names) }
      return [
        [name, { ...part, content: shown(problem, told) }],
        [`Compatible${name}`, { ...part, content: shown(error, { message: detail, inDoubt: false }) }],
      ]
    },
  )
  return { headers, responses: Object.fromEntries(responses) as object }
}
