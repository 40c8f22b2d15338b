// Answers that wait on a connection. Node does not always notice that a client over TLS is gone: if the connection was reset while
// the tickets of its session were on their way, what is written behind them waits for ever.
import type { Socket } from 'node:net'

/** Bytes that wait, and since when they are the same ones. */
export interface Unsent {
  /** What the socket has not passed on. */
  readonly bytes: number
  /** What the operating system has not taken of that which was passed on. */
  readonly left: number
  readonly sinceMs: number
}

/** Undefined: nothing waits. `before`: as it was at the last look; it is the same one if nothing has moved. */
export function unsentOf(
  socket: Socket & { _handle?: { writeQueueSize?: number } | null },
  before: Unsent | undefined,
  nowMs: number,
): Unsent | undefined {
  const bytes = socket.writableLength
  if (bytes === 0) return undefined
  // oxlint-disable-next-line no-underscore-dangle -- the only place where Node says so
  const left = socket._handle?.writeQueueSize ?? 0
  return before?.bytes === bytes && before.left === left ? before : { bytes, left, sinceMs: nowMs }
}
