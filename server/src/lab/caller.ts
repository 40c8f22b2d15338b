// How an experiment reaches the server: by the calls of the public API, and no other way.
import type { App } from '../app-types.js'
import { sessionCookie } from '../auth/credentials.js'

/** A call that failed; `code` is the problem's. */
export class CallError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface Caller {
  /** Sends a call of /api/v1 and answers its JSON. `confirm` is what a production instance wants to see named. */
  call<T>(method: Method, path: string, body?: object, confirm?: string): Promise<T>
}

/** Calls through the whole gateway, as a client with a session of its own. */
export function callerOf(app: App): Caller {
  const cookie = sessionCookie(app.access.newSession()).split(';')[0] ?? ''
  return {
    async call<T>(method: Method, path: string, body?: object, confirm?: string): Promise<T> {
      const response = await app.inject({
        method,
        url: `/api/v1${path}`,
        headers: { cookie, host: 'localhost', ...(confirm !== undefined && { 'x-confirm': confirm }) },
        ...(body !== undefined && { payload: body }),
      })
      const answer = JSON.parse(response.body) as unknown
      if (response.statusCode < 300) return answer as T
      const { code, detail } = answer as { code: string; detail: string }
      throw new CallError(code, `${method} ${path}: ${detail}`)
    },
  }
}
