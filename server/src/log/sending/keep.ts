// Lines of the log and entries of the audit log go to a collector as well, if the settings name one.
import type { App } from '../../app-types.js'
import { LogSender } from './sender.js'

/** What is not sent by then when the server stops is lost for the collector. */
const PATIENCE_MS = 2000

/** Call it before the audit log is kept: its last entry is sent, too. */
export function keepLogSender(app: App): void {
  const { logsEndpoint: endpoint } = app.config
  if (endpoint === undefined) return
  const sender = new LogSender({
    open: async () => {
      const { collectorAt } = await import('./exporter.js')
      const { version } = await app.engine.status()
      return collectorAt(endpoint, version)
    },
    report: (failure) => {
      if (failure === undefined) app.log.info('the collector takes log lines again')
      else app.log.warn({ err: failure }, 'the collector takes no log lines; they wait, and the newest may be dropped')
    },
  })
  app.decorate('logSender', sender)
  app.logTail.follow((line) => sender.add('log', line))
  app.addHook('onClose', () => sender.close(PATIENCE_MS))
}
