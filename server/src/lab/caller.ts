// An experiment reaches the server only through calls of the public API.
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { App } from '../app-types.js'
import { sessionCookie } from '../auth/cookies.js'

/** A call that failed; `code` is the problem's. */
export class CallError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Caller {
  /** Sends a call to /api/v1 and returns its JSON. `confirm` is the value of X-Confirm, for production. */
  call<T>(method: Method, path: string, body?: object, confirm?: string): Promise<T>
  /** Streams a body to the server and returns the JSON of the answer. */
  upload<T>(path: string, mediaType: string, body: Readable): Promise<T>
  /** The body of a GET as a stream. Read it to its end, or destroy it. */
  download(path: string): Promise<Readable>
}

/** Calls through the whole gateway, as a client with a session of its own. */
export function callerOf(app: App): Caller {
  const session = app.sessions.begin({ own: true, address: '127.0.0.1' })
  const cookie = sessionCookie(session, { id: app.access.id, secure: false, path: '' }).split(';')[0] ?? ''
  const own = { cookie, host: 'localhost' }
  return {
    async call<T>(method: Method, path: string, body?: object, confirm?: string): Promise<T> {
      const response = await app.inject({
        method,
        url: `/api/v1${path}`,
        headers: { ...own, ...(confirm !== undefined && { 'x-confirm': confirm }) },
        ...(body !== undefined && { payload: body }),
      })
      return answerOf<T>(`${method} ${path}`, response.statusCode, response.body)
    },

    async upload<T>(path: string, mediaType: string, body: Readable): Promise<T> {
      const headers = { ...own, 'content-type': mediaType }
      const response = await app.inject({ method: 'POST', url: `/api/v1${path}`, headers, payload: body })
      return answerOf<T>(`POST ${path}`, response.statusCode, response.body)
    },

    async download(path: string): Promise<Readable> {
      const response = await app.inject({ method: 'GET', url: `/api/v1${path}`, headers: own, payloadAsStream: true })
      const stream = response.stream()
      if (response.statusCode < 300) return stream
      return answerOf(`GET ${path}`, response.statusCode, await text(stream))
    },
  }
}

/** @throws CallError if the call failed */
function answerOf<T>(line: string, status: number, body: string): T {
  const answer = JSON.parse(body) as unknown
  if (status < 300) return answer as T
  const { code, detail } = answer as { code: string; detail: string }
  throw new CallError(code, `${line}: ${detail}`)
}
