// Saved queries, the query history of the console, and what people have open there.
import type { App } from '../app-types.js'
import { idsOf } from '../auth/former.js'
import { QueryHistory } from './history.js'
import { OpenQueriesOfCallers } from './open.js'
import { SavedQueries } from './saved.js'

/** Decorates `app` with its queries. They are loaded when it is ready and written when it closes. */
export function keepQueries(app: App): void {
  const { dataDirectory } = app.config
  const queries = {
    saved: new SavedQueries(dataDirectory, idsOf(app)),
    history: new QueryHistory(dataDirectory, (error) =>
      app.log.warn({ err: error }, 'the query history could not be written'),
    ),
    open: new OpenQueriesOfCallers(dataDirectory, (damages) =>
      app.damagedFiles.tell('queries_damaged', 'open queries are lost', damages),
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

/** Of a caller who is removed already, so a failure is told in the log alone. Nobody can read what stays then. */
export const forgetOpen = (app: App, caller: string): Promise<void> =>
  app.queries.open
    .forget(caller)
    .catch((error: unknown) => app.log.warn({ err: error }, 'open queries of a removed caller could not be removed'))
