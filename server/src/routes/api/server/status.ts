// GET /api/v1/status
import type { Alerts } from '../../../alerts/alerts.js'
import type { App } from '../../../app-types.js'
import { gatewayNotices, gatewayUse, historyNotices } from '../../../overload/use.js'
import { type EngineStatus, Status } from '../../../schemas/server/status.js'

export function statusRoutes(app: App): void {
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
        uptimeSeconds: (Date.now() - Date.parse(status.startedAt)) / 1000,
        nodeVersion: process.versions.node,
        health: healthSentence(status, app.alerts),
        gateway: gatewayUse(app),
        gatewayNotices: [
          ...gatewayNotices(app),
          ...historyNotices(status),
          ...app.alerts.problems(),
          ...app.slow.notices(),
          ...app.queries.history.notices(),
          ...app.damagedFiles.notices(),
        ],
      })
    },
  )
}

function healthSentence({ reasons, progress }: EngineStatus, alerts: Alerts): string {
  const done = progress.reduce((sum, { doneBytes }) => sum + doneBytes, 0)
  const total = progress.reduce((sum, { totalBytes }) => sum + totalBytes, 0)
  const percent = total === 0 ? 0 : Math.floor((done / total) * 100)
  const names = progress.map(({ namespace }) => namespace).join(', ')
  const recovering = progress.length === 0 ? [] : [`recovering ${names}: ${percent}% of the devices read`]
  const found = [...recovering, ...reasons]
  const { tone, text } = alerts.health()
  return (tone === 'good' && found.length > 0 ? found : [...found, text]).join('; ')
}
