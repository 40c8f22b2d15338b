// The audit log of a gateway, from its start to its stop.
import type { App } from '../app-types.js'
import { Floods } from './floods.js'
import { AuditLog } from './log.js'

/** Decorates `app` with its audit log. */
export function keepAudit(app: App): void {
  const { dataDirectory, auditKeepDays: keepDays, auditNoticeBytes: noticeBytes } = app.config
  const log = new AuditLog(dataDirectory, {
    keepDays,
    noticeBytes,
    written: app.logSender === undefined ? undefined : (line) => app.logSender?.add('audit', line),
    warn: (error, message) => app.log.warn({ err: error }, message),
  })
  const floods = new Floods((facts) => log.note('single', facts))
  let version = ''
  app.decorate('audit', log)
  app.decorate('auditFloods', floods)
  app.addHook('onReady', async () => {
    // An instance that only describes the API has no data directory.
    if (!app.hasDecorator('engine')) return
    await log.load()
    version = (await app.engine.status()).version
    const { environment, auth, host } = app.config
    await log.note('start', { version, environment, auth, host, pid: process.pid, keepDays: keepDays ?? 'forever' })
  })
  app.addHook('onClose', async () => {
    if (version === '') return
    floods.close()
    await log.close({ version })
    const { kept } = log.position()
    app.log.info({ auditSeq: kept.seq, auditHash: kept.hash }, 'the audit log ends with this entry')
  })
}
