// GET /api/v1/status
import type { App } from '../../../app-types.js'
import { certificateNotices } from '../../../network/certificate.js'
import { seesOf } from '../../../auth/reach.js'
import { DiskFull } from '../../../overload/disk-full.js'
import { gatewayNotices, gatewayUse, historyNotices } from '../../../overload/use.js'
import type { AlertHealth } from '../../../schemas/alerts/health.js'
import { type EngineStatus, Status } from '../../../schemas/server/status.js'

export function statusRoutes(app: App): void {
  const diskFull = new DiskFull()
  app.get(
    '/status',
    {
      config: { vital: true },
      schema: {
        operationId: 'getStatus',
        tags: ['status'],
        summary: "Show the server's status",
        description: 'Answers version, machine, memory by part, disk space and health.',
        response: { 200: Status },
      },
    },
    async (request, reply) => {
      const status = await request.engine.status()
      return reply.send({
        ...status,
        engine: request.engine.kind,
        environment: app.config.environment,
        readOnly: app.config.readOnly,
        undoSeconds: app.config.undoMs / 1000,
        uptimeSeconds: (Date.now() - Date.parse(status.startedAt)) / 1000,
        nodeVersion: process.versions.node,
        health: healthSentence(status, app.alerts.health(seesOf(request.reach))),
        gateway: gatewayUse(app),
        ...(request.reach === undefined && { audit: { ...app.audit.position().kept, bytes: app.audit.totalBytes } }),
        gatewayNotices: request.reach === undefined ? [...diskFull.notices(status), ...noticesOf(app, status)] : [],
      })
    },
  )
}

/** They may name files of any namespace. */
const noticesOf = (app: App, status: EngineStatus): Status['gatewayNotices'] => [
  ...gatewayNotices(app),
  ...historyNotices(status),
  ...app.alerts.problems(),
  ...app.backupSchedules.notices(),
  ...app.slow.notices(),
  ...app.queries.history.notices(),
  ...app.damagedFiles.notices(),
  ...app.audit.notices(),
  ...certificateNotices(app),
]

function healthSentence({ reasons, progress }: EngineStatus, { tone, text }: AlertHealth): string {
  const done = progress.reduce((sum, { doneBytes }) => sum + doneBytes, 0)
  const total = progress.reduce((sum, { totalBytes }) => sum + totalBytes, 0)
  const percent = total === 0 ? 0 : Math.floor((done / total) * 100)
  const names = progress.map(({ namespace }) => namespace).join(', ')
  const recovering = progress.length === 0 ? [] : [`recovering ${names}: ${percent}% of the devices read`]
  const found = [...recovering, ...reasons]
  return (tone === 'good' && found.length > 0 ? found : [...found, text]).join('; ')
}
