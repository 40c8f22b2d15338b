// Closing takes no longer than the requests that are under way, and long work is not waited for: it is aborted.
import type { App } from '../app-types.js'

const LOOK_MS = 50

export function closePromptly(app: App): void {
  let look: NodeJS.Timeout | undefined
  app.addHook('preClose', (done) => {
    abortJobs(app)
    // Connections that fall idle from now on would otherwise be kept for their next request.
    look = setInterval(() => app.server.closeIdleConnections(), LOOK_MS)
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
