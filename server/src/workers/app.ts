// The gateway of a worker: the routes of single records and batches, with all that holds for them in the main thread.
import type { App } from '../app-types.js'
import { createInstance, declareHooks, declareRecords } from '../app.js'
import type { Config } from '../config.js'
import type { Engine } from '../engines/engine.js'
import { sharedCounts } from '../engines/shared.js'
import { openFilesMax } from '../files/open-files.js'
import { closePromptly } from '../hooks/closing.js'
import { decorateRequests } from '../hooks/engine.js'
import { CallersLimits } from '../limits/callers.js'
import type { LogSink } from '../log/options.js'
import { Connections } from '../network/connections.js'
import { keepTls } from '../network/tls.js'
import { keepTraces } from '../traces/keep.js'
import type { CallsOfMain, Start } from './calls.js'
import { HandOver, handOverOthers } from './hand-over.js'
import type { Line } from './line.js'
import { Owners } from './owners.js'

/** A request that the main thread answers needs three files: its connection, and two ends of the way there. */
const FILES_OF_A_REQUEST = 3

export async function buildWorker(start: Start, engine: Engine, line: Line<CallsOfMain>): Promise<App> {
  const { config, handle, inside, revision } = start
  const log: LogSink = { write: (text) => line.tell('log', text) }
  const connections = new Connections(config, {
    counts: sharedCounts(handle),
    makeRoom: (network) => line.ask('makeRoom', network).catch(() => false),
    files: openFilesMax() / FILES_OF_A_REQUEST,
  })
  const app = createInstance(config, log, { connections })
  keepTls(app, false)
  decorateRequests(app, engine)
  closePromptly(app, () => undefined)
  app.decorate('callersLimits', new CallersLimits(config))
  const way = new HandOver(inside, config.basePath)
  app.decorate('handOver', way)
  app.addHook('onClose', (_app, done) => {
    way.close()
    done()
  })
  handOverOthers(app, way, new Owners(revision, (address, token) => line.ask('owner', { address, token })))
  await keepTraces(app, engine)
  await declareHooks(app)
  await declareRecords(app)
  return app
}

/** A share of what answers may hold unread: together they hold what the configuration says. */
export const configOfWorker = (config: Config): Config => ({
  ...config,
  unreadBytesMax: Math.ceil(config.unreadBytesMax / (config.workers + 1)),
})
