// Backups by schedule, from the start of a gateway to its stop.
import { wallClock } from '../alerts/clock.js'
import type { App } from '../app-types.js'
import { BackupSchedules } from './schedules.js'

/** Decorates `app` with the schedules of backups. */
export function keepBackupSchedules(app: App): void {
  const { dataDirectory } = app.config
  const warn = (error: unknown, message: string): void => app.log.warn({ err: error }, message)
  const schedules = new BackupSchedules({ dataDirectory, clock: wallClock, warn })
  app.decorate('backupSchedules', schedules)
  app.addHook('onReady', async () => {
    // An instance that only describes the API has no engine.
    if (app.hasDecorator('engine')) await schedules.start(app.engine)
  })
  app.addHook('preClose', () => schedules.close())
}
