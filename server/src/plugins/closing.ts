// Closing takes no longer than the requests that are under way: long work is aborted, and nobody waits for a client that does not read.
import type { Socket } from 'node:net'
import type { App } from '../app-types.js'

const LOOK_MS = 50
/** What a client has not read by then, it never will. */
const UNREAD_MS = 1000

export function closePromptly(app: App): void {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  let look: NodeJS.Timeout | undefined
  app.addHook('preClose', (done) => {
    app.uploads.close()
    app.engine.callOffJobs()
    const began = performance.now()
    look = setInterval(() => {
      // Connections that fall idle from now on would otherwise be kept for their next request,
      app.server.closeIdleConnections()
      // and Node does not count those as idle that have never had one.
      const late = performance.now() - began >= UNREAD_MS
      for (const socket of sockets) {
        // An answer held up by back-pressure ends with its connection only, aborted or not.
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
