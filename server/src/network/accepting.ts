// How fast connections are accepted. The event loop of Node (libuv from 1.45 on) accepts one a turn with each descriptor that listens. When
// a thousand clients connect at once and turns are long, the last one would wait for seconds, and its requests with it.
import { once } from 'node:events'
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
  const helpers: NetServer[] = []
  let closed: Promise<unknown> | undefined
  app.addHook('onListen', async () => {
    const descriptor = descriptorOf(app.server)
    if (descriptor === undefined) return
    const { allowHalfOpen, noDelay } = app.server as ServerOpts
    while (helpers.length < A_TURN - 1) {
      const helper = createServer({ allowHalfOpen, noDelay }, (socket) => app.server.emit('connection', socket))
      helpers.push(helper)
      helper.listen({ fd: sameSocket(descriptor), backlog: BACKLOG })
      await once(helper, 'listening')
    }
  })
  app.addHook('preClose', (done) => {
    closed = Promise.all(helpers.map((helper) => once(helper, 'close')))
    for (const helper of helpers) helper.close()
    done()
  })
  // As the server itself does, each waits for the connections that it accepted.
  app.addHook('onClose', () => closed)
}

/** Node keeps it to itself. Undefined: there is none, as on Windows. */
function descriptorOf(server: Server & { _handle?: { fd?: number } | null }): number | undefined {
  // oxlint-disable-next-line no-underscore-dangle -- the only place where Node says so
  const descriptor = server._handle?.fd
  return descriptor === undefined || descriptor < 0 ? undefined : descriptor
}
