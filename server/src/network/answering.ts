// The answer that a connection is at work on.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Node keeps the running response on the socket. Null or undefined: nothing is at work. */
export function answering(
  socket: Socket & { _httpMessage?: ServerResponse | null },
): ServerResponse | null | undefined {
  // oxlint-disable-next-line no-underscore-dangle -- the only place where Node says so
  return socket._httpMessage
}
