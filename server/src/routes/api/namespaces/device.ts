// The disks of a device namespace.
import { Type } from 'typebox'
import type { App } from '../../../app-types.js'
import { DeviceQuery, DeviceReport } from '../../../schemas/namespaces/device.js'
import { NamespaceName } from '../../../schemas/words.js'

const CELLS = 1024

export function deviceRoutes(app: App): void {
  app.get(
    '/namespaces/:ns/device',
    {
      schema: {
        operationId: 'getDevice',
        tags: ['namespaces'],
        summary: 'Inspect the disks of a namespace',
        description:
          'Answers traffic, queues, write amplification and a map of the write blocks. The live frames carry ' +
          'the same figures second by second. A namespace that is not on devices answers `unsupported`.',
        params: Type.Object({ ns: NamespaceName }),
        querystring: DeviceQuery,
        response: { 200: DeviceReport },
      },
    },
    (request) => request.engine.deviceReport(request.params.ns, request.query.cells ?? CELLS),
  )
}
