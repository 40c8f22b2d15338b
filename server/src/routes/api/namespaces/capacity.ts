// POST /api/v1/capacity
import type { App } from '../../../app-types.js'
import { CapacityPlan, CapacityQuery } from '../../../schemas/namespaces/capacity.js'

export function capacityRoutes(app: App): void {
  app.post(
    '/capacity',
    {
      schema: {
        operationId: 'planCapacity',
        tags: ['capacity'],
        summary: 'Estimate the capacity of a namespace',
        description:
          'Answers the memory, flash, IOPS and write amplification that records of this shape would need. It is ' +
          'a calculation; it creates and reads nothing.',
        body: CapacityQuery,
        response: { 200: CapacityPlan },
      },
    },
    (request) => request.engine.planCapacity(request.body),
  )
}
