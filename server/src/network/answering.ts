// The answer that a connection is at work on.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Node keeps the running response on the socket. Null or undefined: nothing is at work. */
export function answering(
  socket: Socket & { _httpMessage?: ServerResponse | null },
): ServerResponse | null | undefined {
  // oxlint-disable-next-line no-underscore-dangle -- the only place where Node says so
  return socket._httpMessage
}

const unknown = new WeakSet<IncomingMessage>()

/** Says that the route of a request asks for no credentials. */
export function noteUnknown(request: IncomingMessage): void {
  unknown.add(request)
}

const streamsOf = new WeakMap<Socket, ReadonlySet<Socket>>()

/** Says that a connection is one of HTTP/2, with these streams. */
export function noteStreams(socket: Socket, streams: ReadonlySet<Socket>): void {
  streamsOf.set(socket, streams)
}

/** Whether the connection can go: nothing is at work, or only a body is awaited from somebody who is not known. */
export function isIdle(socket: Socket): boolean {
  const streams = streamsOf.get(socket)
  // One that has passed nothing on yet is about to.
  if (streams !== undefined) return [...streams].every((stream) => stream.bytesRead > 0 && isIdle(stream))
  const request = answering(socket)?.req
  return request === undefined || (!request.complete && unknown.has(request))
}
