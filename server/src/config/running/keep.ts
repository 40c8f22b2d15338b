// The settings of a server, from its start on.
import type { App } from '../../app-types.js'
import { historyOptions } from '../../revisions/keep.js'
import type { Start } from '../sources.js'
import { RunningSettings } from './running.js'

/** Decorates `app` with its settings, and notes what this start has found. */
export function keepSettings(app: App, start: Start): void {
  const settings = new RunningSettings(app, start, historyOptions(app))
  app.decorate('settings', settings)
  app.addHook('onReady', async () => {
    // An instance that only describes the API has no engine.
    if (app.hasDecorator('engine')) await settings.started()
  })
}
