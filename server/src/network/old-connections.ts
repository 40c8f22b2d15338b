// Connections from before a new list of revoked certificates: each ends with the answer that it is at work on.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { App } from '../app-types.js'

/** Returns what to call when there is a new list. */
export function closeOldConnections(app: App): () => void {
  let list = 0
  const listOf = new WeakMap<Socket, number>()
  if (app.config.tlsClientCrl !== undefined) {
    app.server.on('secureConnection', (socket: Socket) => listOf.set(socket, list))
    app.addHook('onRequest', (request, reply, done) => {
      if ((listOf.get(request.raw.socket) ?? list) !== list) reply.header('connection', 'close')
      done()
    })
  }
  return () => {
    list += 1
    ;(app.server as Server).closeIdleConnections()
    app.http2?.goAway()
  }
}
