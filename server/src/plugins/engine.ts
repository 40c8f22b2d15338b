// The engine as one decorator, with the hub of its frames; both close after every request has ended.
import type { App } from '../app-types.js'
import type { Engine } from '../engines/engine.js'
import { LiveHub } from '../live/hub.js'

export function provideEngine(app: App, engine: Engine): void {
  const live = new LiveHub(engine)
  app.decorate('engine', engine)
  app.decorate('live', live)
  app.addHook('onClose', async () => {
    live.close()
    await engine.close()
  })
}
