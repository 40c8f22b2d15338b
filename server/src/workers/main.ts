// A worker from its start to its end. The main thread starts it, and says when it ends.
import { parentPort, workerData } from 'node:worker_threads'
import type { CallsOfMain, CallsOfWorker, Start } from './calls.js'
import { Line } from './line.js'
import { attachNativeEngine, socketOf } from '../engines/shared.js'
import { BACKLOG } from '../network/accepting.js'
import { buildWorker, configOfWorker } from './app.js'
import { figuresOf } from './figures.js'

const SECOND_MS = 1000

if (parentPort === null) throw new Error('this is a thread of the server, and no program')
const port = parentPort
const data = workerData as Start
const start = { ...data, config: configOfWorker(data.config) }

const line = new Line<CallsOfMain>(port)
const app = await buildWorker(start, attachNativeEngine(start.handle, start.config), line)
const seconds = setInterval(() => line.tell('figures', figuresOf(app)), SECOND_MS)
const calls: CallsOfWorker = {
  makeRoom: (network) => app.connections.makeRoom(network),
  configure: (config) => {
    Object.assign(app.config, configOfWorker(config))
    app.log.level = config.logLevel
    app.gate.measureBy(config)
  },
  renewTls: () => app.reloadTls?.(),
  stopSoon: () => {
    app.stop.begun = true
  },
  close: () => {
    clearInterval(seconds)
    void app.close().then(() => port.close())
  },
}
line.hear({ ...calls })
// Fastify passes all of it on to Node, which takes the socket in place of an address.
const place = {
  fd: socketOf(start.handle, start.place),
  host: start.config.host,
  // The socket has its queue already; Node asks for one again.
  backlog: BACKLOG,
  listenTextResolver: () => `worker ${start.place + 1} listens`,
}
await app.listen(place)
line.tell('listening', undefined)
