// API tokens, users and sessions, from the start of a gateway to its end.
import type { App } from '../app-types.js'
import { CallersLimits } from '../limits/callers.js'
import { ApiTokens } from './api-tokens.js'
import { Guesses } from './guesses.js'
import { KeptSessions } from './kept-sessions.js'
import { Sessions } from './sessions.js'
import { Users } from './users.js'

/** Decorates `app` with them. What has a file is loaded when it is ready, and written when it closes. */
export function keepCallers(app: App): void {
  const { dataDirectory } = app.config
  const tokens = new ApiTokens(dataDirectory, (error) =>
    app.log.warn({ err: error }, 'when API tokens were last used could not be written'),
  )
  const users = new Users(dataDirectory, (error) =>
    app.log.warn({ err: error }, 'when a user last signed in could not be written'),
  )
  app.decorate('apiTokens', tokens)
  app.decorate('users', users)
  const sessions = new Sessions(app.config)
  const keptSessions = new KeptSessions(dataDirectory, sessions, (error) =>
    app.log.warn({ err: error }, 'sessions could not be written, so they end with this process'),
  )
  app.decorate('sessions', sessions)
  app.decorate('keptSessions', keptSessions)
  app.decorate('callersLimits', new CallersLimits(app.config))
  app.decorate('guesses', new Guesses())
  app.addHook('onReady', async () => {
    // An instance that only describes the API has no data directory.
    if (!app.hasDecorator('engine')) return
    app.damagedFiles.tell('tokens_damaged', 'no API token is accepted', await tokens.load())
    app.damagedFiles.tell('users_damaged', 'no user can sign in', await users.load())
    const damages = await keptSessions.load(app.access.sessionsKey, users)
    app.damagedFiles.tell('sessions_damaged', 'everybody has to sign in again', damages)
  })
  app.addHook('onClose', async () => {
    await tokens.close()
    await users.close()
    await keptSessions.close()
  })
}
