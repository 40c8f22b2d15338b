// Decorates the server with the engine, and each request with a timed view of it. Closes the engine
// after all requests have ended.
import type { FastifyRequest } from 'fastify'
import type { App } from '../app-types.js'
import type { Sees } from '../alerts/alerts.js'
import type { Engine } from '../engines/engine.js'
import { limited } from '../engines/limited/limited.js'
import { timedViews } from '../engines/timed.js'
import { LiveFeed } from '../live/feed.js'
import { LiveHub } from '../live/hub.js'
import { gatewayUse } from '../overload/use.js'

export function provideEngine(app: App, engine: Engine): void {
  const live = new LiveHub(engine)
  const beside = {
    jobs: () => engine.runningJobs(),
    gateway: () => gatewayUse(app),
    health: (sees?: Sees) => app.alerts.health(sees),
  }
  const feed = new LiveFeed(live, beside, app.config.readerPatienceMs)
  app.decorate('live', live)
  app.decorate('feed', feed)
  decorateRequests(app, engine)
  app.addHook('preClose', (done) => {
    feed.close()
    done()
  })
  app.addHook('onClose', async () => {
    live.close()
    await engine.close()
  })
}

/** For a thread that uses an engine and does not close it, this alone. */
export function decorateRequests(app: App, engine: Engine): void {
  const view = timedViews(engine)
  app.decorate('engine', engine)
  app.decorateRequest('engine', {
    getter(this: FastifyRequest) {
      const engine = view(this)
      return this.reach === undefined ? engine : limited(engine, this.reach)
    },
  })
}
