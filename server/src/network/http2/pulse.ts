// Sessions of HTTP/2 that have ended without a word. After some faults of a client, such as a frame of a wrong length, Node
// says GOAWAY, reads no more and reports nothing. Its streams would stay, and so would its socket when the client has gone.
import type { ServerHttp2Session } from 'node:http2'
import type { TLSSocket } from 'node:tls'

/** So many may wait for their answers: a client that reads slowly answers late. */
export const PINGS_MAX = 1000

/**
 * Looks again and again, and calls `dead` once for such a session. Returns what ends the looks. A session that lives and has
 * heard nothing since the last look sends a ping at once. One that has ended sends nothing any more.
 */
export function watchPulse(
  session: ServerHttp2Session,
  client: TLSSocket,
  everyMs: number,
  dead: () => void,
): () => void {
  let heard = client.bytesRead
  let sent: number | undefined
  const looks = setInterval(() => {
    if (session.destroyed) return stop()
    const silent = client.bytesRead === heard
    heard = client.bytesRead
    // What the operating system has not taken yet holds up a ping, too.
    if (!silent || leftOf(client) > 0) sent = undefined
    else if (sent === client.bytesWritten) return end()
    else {
      sent = client.bytesWritten
      if (!session.ping(() => undefined)) return end()
    }
  }, everyMs).unref()
  const stop = (): void => clearInterval(looks)
  const end = (): void => {
    stop()
    dead()
  }
  return stop
}

/** Node writes to the handle itself, so the socket does not know. */
function leftOf(client: TLSSocket): number {
  const { _handle: handle } = client as TLSSocket & { _handle?: { writeQueueSize?: number } | null }
  return handle?.writeQueueSize ?? 0
}
