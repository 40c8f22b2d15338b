// The disks of a device namespace.
import { Type } from 'typebox'
import type { App } from '../../app-types.js'
import { DeviceQuery, DeviceReport } from '../../schemas/device.js'
import { Name } from '../../schemas/words.js'

const CELLS = 1024

export function deviceRoutes(app: App): void {
  app.get(
    '/namespaces/:ns/device',
    {
      schema: {
        operationId: 'getDevice',
        tags: ['namespaces'],
        summary: 'Disks of a device namespace: traffic, queues, write amplification, map of the write blocks',
        description:
          'A memory namespace answers `unsupported`. The same second by second is in `devices` of the live frames.',
        params: Type.Object({ ns: Name }),
        querystring: DeviceQuery,
        response: { 200: DeviceReport },
      },
    },
    (request) => request.engine.deviceReport(request.params.ns, request.query.cells ?? CELLS),
  )
}
