// POST /api/v1/capacity
import type { App } from '../../app-types.js'
import { CapacityPlan, CapacityQuery } from '../../schemas/capacity.js'

export function capacityRoutes(app: App): void {
  app.post(
    '/capacity',
    {
      schema: {
        operationId: 'planCapacity',
        tags: ['capacity'],
        summary: 'What records of a given shape will take: memory, flash, IOPS and write amplification',
        body: CapacityQuery,
        response: { 200: CapacityPlan },
      },
    },
    (request) => request.engine.planCapacity(request.body),
  )
}
