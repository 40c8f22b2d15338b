// Saved queries, and the query history of the console.
import type { App } from '../app-types.js'
import { idsOf } from '../auth/former.js'
import { QueryHistory } from './history.js'
import { SavedQueries } from './saved.js'

/** Decorates `app` with its queries. They are loaded when it is ready and written when it closes. */
export function keepQueries(app: App): void {
  const { dataDirectory } = app.config
  const queries = {
    saved: new SavedQueries(dataDirectory, idsOf(app)),
    history: new QueryHistory(dataDirectory, (error) =>
      app.log.warn({ err: error }, 'the query history could not be written'),
    ),
  }
  app.decorate('queries', queries)
  app.addHook('onReady', async () => {
    // An instance that only describes the API has no data directory.
    if (!app.hasDecorator('engine')) return
    app.damagedFiles.tell('queries_damaged', 'saved queries are lost', await queries.saved.load())
    const { lost, damaged } = await queries.history.load()
    app.damagedFiles.tell('queries_damaged', 'the query history is lost', lost)
    app.damagedFiles.tell('queries_damaged', 'a part of the query history is lost', damaged)
  })
  app.addHook('onClose', () => queries.history.close())
}
