// Answers that wait on a connection. Node does not always notice that a client over TLS is gone: if it reset the connection right
// after the handshake, what is written then may wait for ever.
import type { Socket } from 'node:net'

/** Bytes that wait, and since when they are the same ones. */
export interface Unsent {
  /** What the socket has not passed on. */
  readonly bytes: number
  /** What the operating system has not taken of that which was passed on. */
  readonly left: number
  readonly sinceMs: number
}

/** Bytes that the operating system has not taken yet. A socket counts a write whole until all of it is taken, its handle does not. */
export function leftIn(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null }
  return handle?.writeQueueSize ?? socket.writableLength
}

/** Undefined: nothing waits. `before`: as it was at the last look; it is the same one if nothing has moved. */
export function unsentOf(socket: Socket, before: Unsent | undefined, nowMs: number): Unsent | undefined {
  const bytes = socket.writableLength
  if (bytes === 0) return undefined
  const left = leftIn(socket)
  return before?.bytes === bytes && before.left === left ? before : { bytes, left, sinceMs: nowMs }
}
