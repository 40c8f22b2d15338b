// The alerts of a gateway: fed by its engine from the start to the stop.
import type { App } from '../app-types.js'
import { idsOf } from '../auth/former.js'
import type { HistoryStream } from '../engines/engine.js'
import { gatewayUse } from '../overload/use.js'
import type { Namespace } from '../schemas/namespaces/namespaces.js'
import type { MetricsFrame } from '../schemas/server/metrics.js'
import { Alerts } from './alerts.js'
import { wallClock } from './clock.js'
import type { Facts, NamespaceFacts } from './source.js'

/** Decorates `app` with its alerts. They are loaded when it is ready, and end before it closes. */
export function keepAlerts(app: App): void {
  const { dataDirectory, webhookPrivate } = app.config
  const alerts = new Alerts({
    dataDirectory,
    clock: wallClock,
    allowPrivate: webhookPrivate,
    warn: (error, message) => app.log.warn({ err: error }, message),
  })
  app.decorate('alerts', alerts)
  app.addHook('onReady', async () => {
    // An instance that only describes the API has no engine and no data directory.
    if (!app.hasDecorator('engine')) return
    await alerts.start({
      names: () => app.engine.namespaceNames(),
      ids: idsOf(app),
      facts: () => readFacts(app),
      gateway: () => gatewayUse(app),
      past: async (query, each) => eachFrame(await app.engine.history(query), each),
      listen: (listener) => app.live.listen(listener),
    })
  })
  app.addHook('preClose', () => alerts.close())
}

/** Those of one piece are parsed at a time. */
async function eachFrame(history: HistoryStream, each: (frame: MetricsFrame, stepMs: number) => void): Promise<void> {
  for (let piece = await history.next(); piece !== null; piece = await history.next()) {
    for (const line of piece.toString().trimEnd().split('\n')) {
      each(JSON.parse(line) as MetricsFrame, history.stepSeconds * 1000)
    }
  }
}

async function readFacts({ engine }: App): Promise<Facts> {
  const [status, namespaces] = await Promise.all([engine.status(), engine.namespaces()])
  const { diskFreeBytes, diskTotalBytes, dataDirectoryFailure, history, memoryShare, requestMemory } = status
  return {
    namespaces: namespaces.map(factsOf),
    diskFreeBytes,
    diskTotalBytes,
    dataDirectoryFailed: dataDirectoryFailure !== undefined,
    historyFailed: history.failure !== undefined,
    memorySharePercent: percent(memoryShare.usedBytes, memoryShare.limitBytes),
    requestMemoryPercent: percent(requestMemory.usedBytes, requestMemory.limitBytes),
  }
}

function factsOf({ name, state, device, limits }: Namespace): NamespaceFacts {
  const capacity = limits?.capacityBytes
  const ofLimit = capacity === undefined ? undefined : percent(limits?.usedBytes ?? 0, capacity)
  const ofDevice =
    device === undefined || device.capacityBytes === 0 ? undefined : percent(device.bytes, device.capacityBytes)
  const used = Math.max(ofLimit ?? 0, ofDevice ?? 0)
  return {
    name,
    failed: state === 'failed' || state === 'poisoned' || state === 'read-only',
    writesStopped: limits?.writesStopped,
    usedPercent: ofLimit === undefined && ofDevice === undefined ? undefined : used,
  }
}

const percent = (used: number, limit: number): number => (limit === 0 ? 0 : (used / limit) * 100)
