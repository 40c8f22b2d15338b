// Closing takes no longer than the requests that are under way, and long work is not waited for: it is aborted.
import type { Socket } from 'node:net'
import type { App } from '../app-types.js'

const LOOK_MS = 50

export function closePromptly(app: App): void {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  let look: NodeJS.Timeout | undefined
  app.addHook('preClose', (done) => {
    abortJobs(app)
    look = setInterval(() => {
      // Connections that fall idle from now on would otherwise be kept for their next request,
      app.server.closeIdleConnections()
      // and Node does not count those as idle that have never had one.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }, LOOK_MS)
    done()
  })
  app.addHook('onClose', (_app, done) => {
    clearInterval(look)
    done()
  })
}

function abortJobs(app: App): void {
  for (const { id, endedAt } of app.engine.jobs()) {
    if (endedAt !== undefined) continue
    try {
      app.engine.abortJob(id)
    } catch (error) {
      app.log.debug({ err: error, job: id }, 'a job ended before it could be aborted')
    }
  }
}
