// Closing takes no longer than the requests that are under way: connections that fall idle meanwhile are not waited for.
import type { App } from '../app-types.js'

const LOOK_MS = 50

export function closePromptly(app: App): void {
  let look: NodeJS.Timeout | undefined
  app.addHook('preClose', (done) => {
    look = setInterval(() => app.server.closeIdleConnections(), LOOK_MS)
    done()
  })
  app.addHook('onClose', (_app, done) => {
    clearInterval(look)
    done()
  })
}
