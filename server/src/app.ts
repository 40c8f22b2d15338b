// The gateway as a Fastify instance: plugins and routes by name, top to bottom. server.ts listens.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { LogController } from 'fastify'
import { createServer } from 'node:http'
import type { App } from './app-types.js'
import type { Access } from './auth/access.js'
import { giveRoomBack } from './bodies/room.js'
import { takeBodies } from './bodies/take.js'
import type { Config } from './config.js'
import type { Engine } from './engines/engine.js'
import { GatewayError, sendProblem } from './errors.js'
import { requireCredentials } from './plugins/auth.js'
import { provideEngine } from './plugins/engine.js'
import { closePromptly } from './plugins/closing.js'
import { consoleRoot, serveConsole } from './plugins/console.js'
import { docsPage, documentRoute } from './plugins/docs.js'
import { errorPageRoute } from './plugins/error-page.js'
import { pageSecurity } from './plugins/pages.js'
import { answerOnce } from './plugins/idempotency.js'
import { dataHeaders, identify, serverTiming } from './plugins/headers.js'
import { requestId } from './requests/request-id.js'
import { collectMethods } from './plugins/methods.js'
import { describeApi } from './plugins/openapi.js'
import { refuseUnknownParameters, validateStrictly } from './plugins/validation.js'
import { answerClientError, refuseExpectation } from './plugins/wire-errors.js'
import { logLines } from './files/log-lines.js'
import { Uploads } from './imports/uploads.js'
import { keepQueries } from './queries/keep.js'
import { Streams } from './rest/streams.js'
import { authRoutes } from './routes/api/auth.js'
import { batchReadRoutes, batchWriteRoutes } from './routes/api/batch.js'
import { capacityRoutes } from './routes/api/capacity.js'
import { deviceRoutes } from './routes/api/device.js'
import { orphanRoutes } from './routes/api/orphans.js'
import { pagedRoutes } from './routes/api/paged.js'
import { Gate } from './overload/gate.js'
import { exportRoutes } from './routes/api/export.js'
import { importRoutes } from './routes/api/import.js'
import { importsRoutes } from './routes/api/imports.js'
import { indexRoutes } from './routes/api/indexes.js'
import { jobRoutes } from './routes/api/jobs.js'
import { labRoutes } from './routes/api/lab.js'
import { liveRoutes } from './routes/api/live.js'
import { historyRoutes } from './routes/api/metrics.js'
import { namespaceRoutes } from './routes/api/namespaces.js'
import { queriesRoutes } from './routes/api/queries.js'
import { recordRoutes } from './routes/api/records.js'
import { rejectRoutes } from './routes/api/rejects.js'
import { sampleEventRoutes } from './routes/api/sample-events.js'
import { searchRoutes } from './routes/api/search.js'
import { streamRoutes } from './routes/api/stream.js'
import { setRoutes } from './routes/api/sets.js'
import { statusRoutes } from './routes/api/status.js'
import { workloadRoutes } from './routes/api/workloads.js'
import { compatibleBatchRoutes } from './routes/v1/batch.js'
import { clusterRoutes } from './routes/v1/cluster.js'
import { compatible } from './routes/v1/compatible.js'
import { compatibleIndexRoutes } from './routes/v1/indexes.js'
import { infoRoutes } from './routes/v1/info.js'
import { kvRoutes } from './routes/v1/kvs.js'
import { namedOperateRoutes, typedOperateRoutes } from './routes/v1/operate.js'
import { compatibleQueryRoutes } from './routes/v1/query.js'
import { compatibleScanRoutes } from './routes/v1/scan.js'
import { compatibleTruncateRoutes } from './routes/v1/truncate.js'
import { ycsbRoutes } from './routes/ycsb.js'
import { healthRoutes, prometheusRoutes } from './routes/health.js'

/** Longest path parameter: a key of 10 KiB, percent-encoded. */
const PARAMETER_MAX = 30 * 1024
/** Longest request head, bytes: the longest key and some headers. */
const HEAD_MAX = 64 * 1024
const HEAD_TIMEOUT_MS = 10_000
/** How long a connection may be idle between two requests. */
const IDLE_MS = 72_000
/** Bodies have their own timeout. */
const wire = { maxHeaderSize: HEAD_MAX, headersTimeout: HEAD_TIMEOUT_MS, requestTimeout: 0, keepAliveTimeout: IDLE_MS }

const compatibleRoutes = [
  kvRoutes,
  compatibleScanRoutes,
  compatibleIndexRoutes,
  compatibleTruncateRoutes,
  clusterRoutes,
  namedOperateRoutes,
  compatibleBatchRoutes,
  compatibleQueryRoutes,
  infoRoutes,
]

const apiRoutes = [
  statusRoutes,
  capacityRoutes,
  documentRoute,
  namespaceRoutes,
  orphanRoutes,
  deviceRoutes,
  pagedRoutes,
  setRoutes,
  indexRoutes,
  recordRoutes,
  batchWriteRoutes,
  batchReadRoutes,
  searchRoutes,
  streamRoutes,
  queriesRoutes,
  importRoutes,
  importsRoutes,
  exportRoutes,
  sampleEventRoutes,
  jobRoutes,
  rejectRoutes,
  workloadRoutes,
  labRoutes,
  liveRoutes,
  historyRoutes,
  authRoutes,
]

export interface AppOptions {
  config: Config
  engine: Engine
  access: Access
  /** Directory of the built console; absent: the one of this repository. */
  consoleFiles?: string
}

/** The whole gateway. Closing it ends live streams first and the engine last. */
export async function buildApp({ config, engine, access, consoleFiles }: AppOptions): Promise<App> {
  const app = createApp(config)
  provideEngine(app, engine)
  closePromptly(app)
  app.decorate('access', access)
  await declareApi(app, consoleFiles)
  return app
}

/** An instance without an engine: enough to declare routes and make the API document. */
export function createApp(config: Config): App {
  const gate = new Gate(config)
  const app = Fastify({
    logger: {
      level: config.logLevel,
      redact: ['req.headers.authorization', 'req.headers.cookie'],
      stream: logLines,
    },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    requestIdHeader: false,
    routerOptions: { maxParamLength: PARAMETER_MAX, ignoreTrailingSlash: false },
    serverFactory: (handle) => createServer(wire, gate.before(handle)).on('checkExpectation', refuseExpectation),
    frameworkErrors: sendProblem,
    clientErrorHandler: answerClientError,
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.decorate('config', config)
  app.decorate('gate', gate)
  app.decorate('streams', new Streams(config))
  keepQueries(app)
  app.decorate('uploads', new Uploads(() => app.engine, config, gate))
  app.addHook('onListen', (done) => {
    gate.open()
    done()
  })
  app.addHook('onClose', (_app, done) => {
    gate.close()
    done()
  })
  return app
}

/** Registers everything that answers. `consoleFiles`: the built console. */
export async function declareApi(app: App, consoleFiles = consoleRoot): Promise<void> {
  validateStrictly(app)
  app.setErrorHandler(sendProblem)
  identify(app)
  serverTiming(app)
  requireCredentials(app)
  answerOnce(app)
  giveRoomBack(app)
  takeBodies(app)
  await describeApi(app)
  const methods = collectMethods(app)

  await group(app, '', [dataHeaders, healthRoutes, prometheusRoutes])
  await group(app, '/ycsb', [dataHeaders, refuseUnknownParameters, ycsbRoutes])
  for (const routes of apiRoutes) await group(app, '/api/v1', [dataHeaders, refuseUnknownParameters, routes])
  for (const routes of compatibleRoutes) await group(app, '/v1', [compatible, dataHeaders, routes])
  await group(app, '/v2', [compatible, dataHeaders, typedOperateRoutes])

  methods.refuseOthers()
  await app.register(async (scope) => {
    pageSecurity(scope as App)
    await docsPage(scope as App)
    errorPageRoute(scope as App)
    await serveConsole(scope as App, consoleFiles)
  })
  app.setNotFoundHandler((request) => {
    throw new GatewayError('route_not_found', `there is no route ${request.method} ${request.url.split('?')[0] ?? ''}`)
  })
}

/** Each group has its own scope, so its headers and hooks do not affect other groups. */
async function group(app: App, prefix: string, parts: readonly ((scope: App) => void)[]): Promise<void> {
  await app.register(
    (scope, _options, done) => {
      for (const part of parts) part(scope as App)
      done()
    },
    { prefix },
  )
}
