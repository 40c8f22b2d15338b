// The revisions of configurations, from the start of a gateway on.
import type { App } from '../app-types.js'
import { NamespaceRevisions } from './namespaces.js'

/** Decorates `app` with the revisions of namespaces. What changed while no gateway ran is noted before the first request. */
export function keepRevisions(app: App): void {
  const { dataDirectory } = app.config
  const revisions = new NamespaceRevisions({
    dataDirectory,
    damaged: (message) =>
      app.damagedFiles.tell('revisions_damaged', 'revisions of a configuration are lost', [message]),
    warn: (error, message) => app.log.warn({ err: error }, message),
  })
  app.decorate('revisions', revisions)
  app.addHook('onReady', async () => {
    // An instance that only describes the API has no engine.
    if (app.hasDecorator('engine')) await revisions.start(app.engine)
  })
}
