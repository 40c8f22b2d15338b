// Closing waits only for running requests: long work is aborted, and nothing waits for a client that does not read.
import type { Socket } from 'node:net'
import { Server as SecureServer } from 'node:tls'
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'
import { say } from '../sentences/sentence.js'

const LOOK_MS = 50
/** Longest wait for a client to read the rest of its answer. */
const UNREAD_MS = 1000
/** Longest wait for requests under way. */
const UNDER_WAY_MS = 3000
/** Those who watch the server ask to the end. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** `callOff`: ends long work. */
export function closePromptly(app: App, callOff: () => void): void {
  const sockets = new Set<Socket>()
  const note = (socket: Socket): void => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  // With TLS, requests come from another socket, once the two sides have agreed on keys.
  const agreeing = new Map<string, Socket>()
  app.server.on('connection', (socket) => {
    if (!(app.server instanceof SecureServer)) return note(socket)
    agreeing.set(farEndOf(socket), socket)
    socket.once('close', () => agreeing.delete(farEndOf(socket)))
  })
  app.server.on('secureConnection', (socket: Socket) => {
    agreeing.delete(farEndOf(socket))
    note(socket)
  })

  let look: NodeJS.Timeout | undefined
  const stop = { begun: false, closes: false }
  app.decorate('stop', stop)
  app.addHook('onRequest', (request, reply, done) => {
    // The next request of this client should go to another server.
    if (stop.begun) reply.header('connection', 'close')
    done(stop.closes && !PROBES.has(request.url) ? new GatewayError('closed', say('the server is closing')) : undefined)
  })
  app.addHook('preClose', (done) => {
    stop.closes = true
    stop.begun = true
    callOff()
    app.http2?.goAway()
    const began = performance.now()
    look = setInterval(() => {
      // Connections that become idle from now on would otherwise stay open for their next request.
      app.server.closeIdleConnections()
      // Node does not count a connection as idle that never had a request.
      for (const socket of agreeing.values()) socket.destroy()
      const sinceMs = performance.now() - began
      const late = sinceMs >= UNREAD_MS
      for (const socket of sockets) {
        // An answer blocked by backpressure ends only with its connection, aborted or not.
        const unread = late && socket.writableLength > 0
        if (socket.bytesRead === 0 || unread || sinceMs >= UNDER_WAY_MS) socket.destroy()
      }
    }, LOOK_MS)
    done()
  })
  app.addHook('onClose', async () => {
    // Node has waited for those that the server accepted itself, and not for those that were handed to it.
    await Promise.all([...sockets, ...agreeing.values()].map(closed))
    clearInterval(look)
  })
}

const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once('close', resolve))

const farEndOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
