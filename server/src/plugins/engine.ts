// The engine as a decorator of the server and, timed, of each request; it closes after every request has ended.
import type { FastifyRequest } from 'fastify'
import type { App } from '../app-types.js'
import type { Engine } from '../engines/engine.js'
import { timedViews } from '../engines/timed.js'
import { LiveHub } from '../live/hub.js'

export function provideEngine(app: App, engine: Engine): void {
  const live = new LiveHub(engine)
  const view = timedViews(engine)
  app.decorate('engine', engine)
  app.decorate('live', live)
  app.decorateRequest('engine', {
    getter(this: FastifyRequest) {
      return view(this)
    },
  })
  app.addHook('onClose', async () => {
    live.close()
    await engine.close()
  })
}
