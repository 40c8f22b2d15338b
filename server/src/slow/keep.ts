// What is kept as slow, from the start of a gateway on.
import type { App } from '../app-types.js'
import { KeptSlowSettings } from './kept-settings.js'

/** Decorates `app` with the settings of slow operations. The engine has them before the first request. */
export function keepSlowSettings(app: App): void {
  const slow = new KeptSlowSettings(app.config.dataDirectory, (error, message) => app.log.warn({ err: error }, message))
  app.decorate('slow', slow)
  app.addHook('onReady', async () => {
    // An instance that only describes the API has no engine.
    if (app.hasDecorator('engine')) await slow.load(app.engine)
  })
  app.addHook('preClose', async () => {
    if (app.hasDecorator('engine')) await slow.writeAgain(app.engine)
  })
}
