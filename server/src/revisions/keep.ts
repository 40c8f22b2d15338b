// The revisions of configurations, from the start of a gateway on.
import type { App } from '../app-types.js'
import type { HistoryOptions } from './history.js'
import { NamespaceRevisions } from './namespaces.js'

/** Where revisions are, and whom their faults are told. */
export const historyOptions = (app: App): HistoryOptions => ({
  dataDirectory: app.config.dataDirectory,
  damaged: (message) => app.damagedFiles.tell('revisions_damaged', 'revisions of a configuration are lost', [message]),
  warn: (error, message) => app.log.warn({ err: error }, message),
})

/** Decorates `app` with the revisions of namespaces. What changed while no gateway ran is noted before the first request. */
export function keepRevisions(app: App): void {
  const revisions = new NamespaceRevisions(historyOptions(app))
  app.decorate('revisions', revisions)
  app.addHook('onReady', async () => {
    // An instance that only describes the API has no engine.
    if (app.hasDecorator('engine')) await revisions.start(app.engine)
  })
}
