// How fast connections are accepted. The event loop of Node (libuv from 1.45 on) accepts one a turn with each descriptor that listens. When
// a thousand clients connect at once and turns are long, the last one would wait for seconds, and its requests with it.
import type { Server } from 'node:http'
import { createServer, type Server as NetServer, type ServerOpts } from 'node:net'
import { sameSocket } from '../engines/shared.js'
import type { App } from '../app-types.js'

/** Connections that wait to be accepted. Node's 511 are too few for a burst: a client without a place retries after 1, 3 and 7 s. */
export const BACKLOG = 4096

/** Connections that are accepted in a turn. */
const A_TURN = 16

/** Lets a server take more connections in each turn of the event loop, from when it listens until it closes. */
export function acceptMore(app: App): void {
  const { server } = app
  const helpers: NetServer[] = []
  app.addHook('onListen', (done) => {
    const descriptor = descriptorOf(server)
    if (descriptor === undefined) return done()
    const { allowHalfOpen, noDelay } = server as ServerOpts
    for (let at = 1; at < A_TURN; at += 1) {
      const helper = createServer({ allowHalfOpen, noDelay }, (socket) => server.emit('connection', socket))
      // What one of them cannot accept, the server can, or tells why not.
      helper.on('error', () => undefined)
      helpers.push(helper.listen({ fd: sameSocket(descriptor) }, BACKLOG))
    }
    done()
  })
  app.addHook('preClose', (done) => {
    // `closePromptly` waits for the connections that they accepted.
    for (const helper of helpers) helper.close()
    done()
  })
}

/** Node keeps it to itself. Undefined: there is none, as on Windows. */
function descriptorOf(server: Server & { _handle?: { fd?: number } | null }): number | undefined {
  // oxlint-disable-next-line no-underscore-dangle -- the only place where Node says so
  const descriptor = server._handle?.fd
  return descriptor === undefined || descriptor < 0 ? undefined : descriptor
}
