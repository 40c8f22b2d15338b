// GET /api/v1/status
import type { App } from '../../app-types.js'
import { Status } from '../../schemas/status.js'

export function statusRoutes(app: App): void {
  app.get(
    '/status',
    {
      schema: {
        operationId: 'getStatus',
        tags: ['status'],
        summary: 'Version, machine, memory by part, disk, and health in one sentence',
        response: { 200: Status },
      },
    },
    (request) => {
      const status = request.engine.status()
      return {
        ...status,
        engine: request.engine.kind,
        environment: app.config.environment,
        uptimeSeconds: (Date.now() - Date.parse(status.startedAt)) / 1000,
        nodeVersion: process.versions.node,
        health: healthSentence(status.recovering, status.reasons),
      }
    },
  )
}

function healthSentence(recovering: boolean, reasons: readonly string[]): string {
  if (recovering) return 'Recovering: the index is being rebuilt'
  return reasons.length === 0 ? 'Healthy' : reasons.join('; ')
}
