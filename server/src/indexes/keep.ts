// What is kept about indexes, from the start of a gateway to its stop.
import type { App } from '../app-types.js'
import { KeptIndexUses } from './kept-uses.js'
import { ScannedShapes } from './scanned-shapes.js'

/** Decorates `app` with the uses of indexes, and with what was read without one. */
export function keepIndexUses(app: App): void {
  const { dataDirectory } = app.config
  const uses = new KeptIndexUses(dataDirectory, (error, message) => app.log.warn({ err: error }, message))
  app.decorate('indexUses', uses)
  app.decorate('scannedShapes', new ScannedShapes())
  app.addHook('onReady', async () => {
    // An instance that only describes the API has no engine.
    if (!app.hasDecorator('engine')) return
    const damages = await uses.start(app.engine)
    app.damagedFiles.tell('index_uses_damaged', 'uses of indexes are counted from this start on', damages)
  })
  app.addHook('preClose', async () => {
    if (app.hasDecorator('engine')) await uses.close(app.engine)
  })
}
