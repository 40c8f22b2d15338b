// All metrics but the latency of operations, which needs the frames since the start.
import type { App } from '../../app-types.js'
import type { Engine } from '../../engines/engine.js'
import { addedByAll, gatewayUse } from '../../overload/use.js'
import { addedFamily } from './added.js'
import { diskFamilies, openDevices } from './disks.js'
import { engineFamilies } from './engine.js'
import type { Family } from './family.js'
import { alertFamilies, gatewayFamilies } from './gateway.js'

export async function familiesOf(app: App, engine: Engine): Promise<Family[]> {
  const [status, namespaces] = await Promise.all([engine.status(), engine.namespaces()])
  return [
    ...engineFamilies(status, namespaces),
    ...gatewayFamilies(gatewayUse(app)),
    addedFamily(addedByAll(app)),
    ...alertFamilies(app.alerts.standings()),
    ...diskFamilies(await openDevices(engine, namespaces)),
  ]
}
