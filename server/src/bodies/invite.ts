// Clients that ask before they send a body (RFC 9110, 10.1.1) are told to go on when it is wanted: not before their
// credentials, its type and its length were looked at.
import type { IncomingMessage, ServerResponse } from 'node:http'

const asking = new WeakMap<IncomingMessage, ServerResponse>()

/** Notes that the client waits for a word. */
export function letAsk(request: IncomingMessage, response: ServerResponse): void {
  asking.set(request, response)
}

/** Tells the client to go on, if it waits for that. */
export function inviteBody(request: IncomingMessage): void {
  const response = asking.get(request)
  if (response === undefined) return
  asking.delete(request)
  response.writeContinue()
}
