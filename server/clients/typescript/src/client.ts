// Sends calls: credentials, retries, and failures as `ApiProblem`.
import { parseJson } from './json.js'
import { linesOf, type Lines } from './lines.js'
import type { Answer, Given, Operation, OperationId, Route } from './operation.js'
import { type ApiProblem, problemOf, streamBroken, unreachable } from './problem.js'
import { addressOf, type Parts, sendable } from './request.js'
import {
  LONGEST_WAIT_MS,
  mayRepeat,
  RETRIES_DEFAULT,
  retryAfter,
  type RetryOptions,
  waitBefore,
  waitFor,
} from './retry.js'

export interface ClientOptions extends RetryOptions {
  /** Address of the server, such as `http://127.0.0.1:7373`. A path of a proxy may follow. Empty: that of the page. */
  url: string
  /** The administrator token or an API token. A function is called before each request, so it can renew the token. */
  token?: string | (() => string | Promise<string>)
  /** User and password of the compatible API, where the password is a token. */
  basic?: { user: string; password: string }
  /** The session of `signIn`. Browsers keep it themselves: see `credentials`. */
  cookie?: string
  /** In browsers: whether to send the session of the console. */
  credentials?: 'omit' | 'same-origin' | 'include'
  /** In place of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>
  /** What reads the JSON of an answer; absent: `parseJson`, whose large integers are bigints. */
  parse?: (text: string) => unknown
}

interface Sent extends Parts {
  signal?: AbortSignal
  idempotencyKey?: string
}

/** Calls the operations of one server. It holds no connection, so there is nothing to close. */
export class Client {
  readonly #options: ClientOptions
  readonly #base: string

  constructor(options: ClientOptions) {
    this.#options = options
    this.#base = options.url.replace(/\/+$/, '')
  }

  /** The same client with other options. */
  with(options: Partial<ClientOptions>): Client {
    return new Client({ ...this.#options, ...options })
  }

  /**
   * Calls an operation and resolves with its answer: JSON as an object, another type as text, nothing as undefined.
   *
   * @throws ApiProblem if the server refuses, cannot be reached, or breaks off
   */
  async call<Id extends OperationId>(operation: Operation<Id>, ...[args]: Given<Id>): Promise<Answer<Id>> {
    return (await this.#bodyOf(await this.#open(operation, args))) as Answer<Id>
  }

  /** As `call`, with the version that the answer names in `ETag`. Send it back with `ifMatch`. */
  async callVersioned<Id extends OperationId>(
    operation: Operation<Id>,
    ...[args]: Given<Id>
  ): Promise<{ value: Answer<Id>; etag: string | undefined }> {
    const response = await this.#open(operation, args)
    return { value: (await this.#bodyOf(response)) as Answer<Id>, etag: response.headers.get('etag') ?? undefined }
  }

  /** As `call`; resolves once the head of the answer is there. Read its body, or cancel it. */
  open<Id extends OperationId>(operation: Operation<Id>, ...[args]: Given<Id>): Promise<Response> {
    return this.#open(operation, args)
  }

  /**
   * Calls an operation that answers NDJSON. The server sends no faster than the lines are read; leaving the loop ends the
   * work.
   *
   * @throws ApiProblem also while the lines are read, if the stream breaks off
   */
  async lines<Id extends OperationId, Line = unknown>(
    operation: Operation<Id>,
    ...[args]: Given<Id>
  ): Promise<Lines<Line>> {
    return linesOf<Line>(await this.#open(operation, args, 'application/x-ndjson'), args?.signal)
  }

  /**
   * Sends a request as it is, for what no operation describes. Resolves once the head of a good answer is there.
   *
   * @param path with its query, escaped
   */
  request(
    method: string,
    path: string,
    init: { headers?: Record<string, string>; body?: string; signal?: AbortSignal } = {},
  ): Promise<Response> {
    return this.#open({ method, path, repeats: 'refused', type: 'application/json' }, init)
  }

  async #open(route: Route, args: Sent = {}, accept = route.accept): Promise<Response> {
    const { retries = RETRIES_DEFAULT, longestWaitMs = LONGEST_WAIT_MS, wait = waitFor } = this.#options
    const { signal, idempotencyKey, headers: given = {} } = args
    const { body, type = route.type, once } = sendable(args.body, route.type)
    const key = route.repeats === 'with key' && retries > 0 ? (idempotencyKey ?? newKey()) : idempotencyKey
    const headers = new Headers()
    if (accept !== undefined) headers.set('accept', accept)
    if (body !== undefined && type !== undefined) headers.set('content-type', type)
    if (key !== undefined) headers.set('idempotency-key', key)
    for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, value)
    const hasPrecondition = headers.has('if-match') || headers.has('if-none-match')
    const address = addressOf(this.#base, route.path, args)
    for (let again = 0; ; again += 1) {
      await this.#identify(headers)
      const outcome = await this.#send(address, { method: route.method, headers, body, signal }, once)
      if (outcome instanceof Response) return outcome
      const { problem, retryAfterMs } = outcome
      const isLast = once || again >= retries || retryAfterMs > longestWaitMs
      if (isLast || !mayRepeat(problem, route.repeats, hasPrecondition)) throw problem
      await wait(waitBefore(again, longestWaitMs, retryAfterMs), signal)
    }
  }

  async #bodyOf(response: Response): Promise<unknown> {
    const { parse = parseJson } = this.#options
    const type = response.headers.get('content-type') ?? ''
    let text: string
    try {
      text = await response.text()
    } catch (error) {
      if ((error as Error).name !== 'TypeError') throw error
      throw streamBroken(undefined, error)
    }
    if (text === '') return undefined
    return /^application\/([\w.-]+\+)?json\b/.test(type) ? parse(text) : text
  }

  async #identify(headers: Headers): Promise<void> {
    const { token, basic, cookie } = this.#options
    if (token !== undefined) headers.set('authorization', `Bearer ${typeof token === 'string' ? token : await token()}`)
    else if (basic !== undefined) {
      const bytes = new TextEncoder().encode(`${basic.user}:${basic.password}`)
      headers.set('authorization', `Basic ${btoa(String.fromCharCode(...bytes))}`)
    }
    if (cookie !== undefined) headers.set('cookie', cookie)
  }

  async #send(
    address: string,
    init: { method: string; headers: Headers; body: BodyInit | undefined; signal: AbortSignal | undefined },
    isStream: boolean,
  ): Promise<Response | { problem: ApiProblem; retryAfterMs: number }> {
    const { fetch: send = fetch, credentials } = this.#options
    const { body, signal, ...head } = init
    const request = new Request(address, {
      ...head,
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
      ...(credentials !== undefined && { credentials }),
      // Node and browsers take a body of unknown length only with this.
      ...(isStream && { duplex: 'half' }),
    })
    try {
      const response = await send(request)
      if (response.ok) return response
      const retryAfterMs = retryAfter(response.headers.get('retry-after'))
      return { problem: await problemOf(response), retryAfterMs }
    } catch (error) {
      if (signal?.aborted === true || (error as Error).name !== 'TypeError') throw error
      return { problem: unreachable(error), retryAfterMs: 0 }
    }
  }
}

/** A key for `Idempotency-Key`. Also pages without TLS have random values. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The header that changes only what was read: `headers: ifMatch(etag)`. */
export const ifMatch = (etag: string | undefined): { 'if-match': string } => ({ 'if-match': etag ?? '*' })

/** The header that creates and never replaces. */
export const ifAbsent = { 'if-none-match': '*' } as const
