// A gateway in place of `fetch`: it answers what a test says, and remembers what the page sent.
import { onTestFinished, vi } from 'vitest'

export interface Sent {
  /** such as `POST /api/v1/namespaces` */
  line: string
  query: URLSearchParams
  headers: Headers
  body: string
  /** says that the page has given it up */
  signal: AbortSignal
}

/** JSON, or a function that makes the answer of one request. */
type Answer = object | ((sent: Sent) => Response | Promise<Response>)
export type Answers = Record<string, Answer>

export const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })

/** A refusal as the gateway writes it. */
export const refusal = (status: number, code: string, detail: string, field?: string): Response =>
  json({ status, code, title: 'The request was refused', detail, ...(field !== undefined && { field }) }, status)

/** What every page asks beside its own reads. */
const always: Answers = {
  'GET /api/v1/auth/me': { id: 'p1', user: 'admin', grants: [{ role: 'admin' }], method: 'session' },
  'GET /api/v1/queries/open': { id: 'p1', revision: 0, items: [] },
  'PUT /api/v1/queries/open': ({ body }) => json({ id: 'p1', revision: 1, ...(JSON.parse(body) as object) }),
  'GET /api/v1/status': { cpus: 8, environment: 'development' },
  'GET /api/v1/jobs': { items: [] },
  'GET /api/v1/alerts': {
    items: [],
    health: { tone: 'good', text: 'Healthy', reasons: [] },
    firing: 0,
    pending: 0,
    missed: 0,
    webhook: false,
    problems: [],
  },
  'GET /api/v1/namespaces': {
    items: [
      { name: 'shop', records: 1200, state: 'ready', capabilities: { missing: [] } },
      { name: 'logs', records: 7, state: 'ready', capabilities: { missing: [] } },
    ],
  },
  'GET /api/v1/namespaces/shop/sets': { items: [{ name: 'events', records: 1200, bytes: 64_000, limits: {} }] },
  'GET /api/v1/namespaces/logs/sets': { items: [] },
  'GET /api/v1/namespaces/shop/truncations': { items: [] },
  'GET /api/v1/namespaces/shop/indexes': { items: [] },
  'GET /api/v1/namespaces/shop/sets/events/records': { items: [{ key: 'a', bins: { kind: 'push', n: 1 } }] },
}

export class Gateway {
  readonly sent: Sent[] = []
  readonly answers: Answers

  constructor(answers: Answers = {}) {
    this.answers = { ...always, ...answers }
    vi.stubGlobal('fetch', (request: Request) => this.#answer(request))
    onTestFinished(() => void vi.unstubAllGlobals())
  }

  /** The bodies of these requests, parsed. */
  bodies(line: string): unknown[] {
    return this.sent.filter((one) => one.line === line).map(({ body }) => JSON.parse(body) as unknown)
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const line = `${request.method} ${pathname}`
    const { headers, signal } = request
    const sent = { line, query: searchParams, headers, signal, body: await request.text() }
    this.sent.push(sent)
    const answer = this.answers[line]
    if (answer === undefined) return refusal(404, 'not_found', `The test has no answer to ${line}.`)
    return typeof answer === 'function' ? await answer(sent) : json(answer)
  }
}
