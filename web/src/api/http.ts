import { withoutBase } from '../base-path'
import { isUntouched } from './activity'
import { beginCall, tellingHeaders } from './calls'
import { unreachable } from '@tessera/client'
import { signedOut } from './session-state'
import { isOfSessionBefore } from './sign-in-again'

/** `fetch` that records the call for the footer. Every request of the console uses it. */
export async function recordedFetch(request: Request): Promise<Response> {
  const url = new URL(request.url)
  const signsIn = url.pathname.endsWith('/auth/login')
  // The footer shows no password and no token.
  const isSecret = signsIn || /\/(auth\/(password|second-factor)|users)(\/|$)/.test(url.pathname)
  const body = request.body === null || isSecret ? undefined : await readableBody(request)
  if (isUntouched()) request.headers.set('X-Automatic', 'true')
  const beganMs = performance.now()
  const end = beginCall(request.method, withoutBase(url.pathname) + url.search, {
    headers: tellingHeaders(request.headers),
    body,
  })
  let response: Response
  try {
    response = await fetch(request)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') {
      end(undefined)
      throw error
    }
    end('failed')
    throw unreachable()
  }
  end(response.status)
  if (response.status === 401 && !signsIn && !isOfSessionBefore(beganMs)) signedOut()
  return response
}

async function readableBody(request: Request): Promise<string | undefined> {
  const type = request.headers.get('Content-Type') ?? ''
  return type.includes('json') ? await request.clone().text() : undefined
}

/** Most bytes that browsers send for a page that is gone. */
const LAST_MAX = 60_000

/** Sends JSON for a page that is being left. Nobody sees its list of calls any more. */
export function sendLast(method: string, path: string, headers: Record<string, string>, body: string): void {
  const keepalive = new TextEncoder().encode(body).length <= LAST_MAX
  const request = { method, headers: { ...headers, 'content-type': 'application/json' }, body, keepalive }
  fetch(path, request).catch(() => undefined)
}
