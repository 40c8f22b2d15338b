// Closing waits only for running requests: long work is aborted, and nothing waits for a client that does not read.
import type { Socket } from 'node:net'
import type { App } from '../app-types.js'
import { GatewayError } from '../errors.js'

const LOOK_MS = 50
/** Longest wait for a client to read the rest of its answer. */
const UNREAD_MS = 1000

export function closePromptly(app: App): void {
  const sockets = new Set<Socket>()
  const note = (socket: Socket): void => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  // With TLS, requests come from another socket, once the two sides have agreed on keys.
  const agreeing = new Map<string, Socket>()
  app.server.on('connection', (socket) => {
    if (app.config.tlsCertificate === undefined) return note(socket)
    agreeing.set(farEndOf(socket), socket)
    socket.once('close', () => agreeing.delete(farEndOf(socket)))
  })
  app.server.on('secureConnection', (socket: Socket) => {
    agreeing.delete(farEndOf(socket))
    note(socket)
  })

  let look: NodeJS.Timeout | undefined
  let closes = false
  app.addHook('onRequest', (_request, _reply, done) => {
    done(closes ? new GatewayError('closed', 'the server is closing') : undefined)
  })
  app.addHook('preClose', (done) => {
    closes = true
    app.uploads.close()
    app.engine.callOffJobs()
    const began = performance.now()
    look = setInterval(() => {
      // Connections that become idle from now on would otherwise stay open for their next request.
      app.server.closeIdleConnections()
      // Node does not count a connection as idle that never had a request.
      for (const socket of agreeing.values()) socket.destroy()
      const late = performance.now() - began >= UNREAD_MS
      for (const socket of sockets) {
        // An answer blocked by backpressure ends only with its connection, aborted or not.
        if (socket.bytesRead === 0 || (late && socket.writableLength > 0)) socket.destroy()
      }
    }, LOOK_MS)
    done()
  })
  app.addHook('onClose', (_app, done) => {
    clearInterval(look)
    done()
  })
}

const farEndOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
