// The gateway as a Fastify instance: plugins and routes by name, top to bottom. server.ts listens.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyPluginCallback, LogController } from 'fastify'
import { createServer, type RequestListener, type Server } from 'node:http'
import {
  createServer as createSecureServer,
  Server as SecureServer,
  type ServerOptions as HttpsOptions,
} from 'node:https'
import { keepAlerts } from './alerts/keep.js'
import { Streams } from './answers/streams.js'
import type { App } from './app-types.js'
import { keepAudit } from './audit/keep.js'
import type { Access } from './auth/access.js'
import { keepCallers } from './auth/keep.js'
import { Provider } from './auth/oidc/provider.js'
import type { OidcSettings } from './auth/oidc/settings.js'
import { giveRoomBack } from './bodies/room.js'
import { takeBodies } from './bodies/take.js'
import type { Config } from './config.js'
import type { Engine } from './engines/engine.js'
import { sendProblem } from './errors.js'
import { DamagedFiles } from './files/damaged-files.js'
import { writeAudit } from './hooks/audit.js'
import { requireCredentials } from './hooks/auth.js'
import { refuseChanges } from './hooks/read-only.js'
import { closePromptly } from './hooks/closing.js'
import { compressAnswers } from './hooks/compress.js'
import { provideEngine } from './hooks/engine.js'
import { dataHeaders, identify, serverTiming } from './hooks/headers.js'
import { answerOnce } from './hooks/idempotency.js'
import { LateSchemas } from './hooks/late-schemas.js'
import { lateSerializers } from './hooks/serializers.js'
import { leadBelowBase } from './hooks/location.js'
import { answerUnknown, collectMethods } from './hooks/methods.js'
import { answerNotModified } from './hooks/not-modified.js'
import { packAnswers } from './hooks/packed.js'
import { linkPages } from './hooks/page-links.js'
import { logRequests } from './hooks/request-log.js'
import { boundUnread } from './hooks/unread.js'
import { refuseUntagged } from './hooks/untagged.js'
import { refuseUnknownParameters, validateStrictly } from './hooks/validation.js'
import { answerClientError, continueOrRefuse, refuseExpectation, refuseOdd, refuseTunnel } from './hooks/wire-errors.js'
import { Uploads } from './imports/uploads.js'
import { describeApi } from './openapi/document.js'
import { documentRoute } from './openapi/route.js'
import { Gate } from './overload/gate.js'
import { Pipelines } from './overload/pipelines.js'
import { UnreadAnswers } from './overload/unread.js'
import { consoleRoot, isPage, serveConsole } from './pages/console.js'
import { docsPage } from './pages/docs.js'
import { errorPageRoute } from './pages/error-page.js'
import { pageSecurity } from './pages/page-headers.js'
import { leadToSignIn } from './pages/sign-in.js'
import { noneAdded } from './live/added.js'
import { keepAdded } from './live/keep-added.js'
import { logLines } from './log/log-lines.js'
import { logOptions, type LogSink } from './log/options.js'
import { requestLogger } from './log/request-logger.js'
import { keepLogSender } from './log/sending/keep.js'
import { LogTail } from './log/tail.js'
import { acceptMore } from './network/accepting.js'
import { below } from './network/base-path.js'
import { Connections } from './network/connections.js'
import { allowOrigins } from './network/cors.js'
import { checkHosts } from './network/hosts.js'
import { ALPN, Http2Front } from './network/http2/front.js'
import { trustedProxies, withScheme } from './network/proxies.js'
import { keepTls, readTls } from './network/tls.js'
import { keepQueries } from './queries/keep.js'
import { requestId } from './requests/request-id.js'
import { alertRuleRoutes } from './routes/api/alerts/rules.js'
import { alertRoutes } from './routes/api/alerts/alerts.js'
import { alertWebhookRoutes } from './routes/api/alerts/webhook.js'
import { jobRoutes } from './routes/api/jobs/jobs.js'
import { labRoutes } from './routes/api/jobs/lab.js'
import { workloadRoutes } from './routes/api/jobs/workloads.js'
import { exportRoutes } from './routes/api/load/export.js'
import { importRoutes } from './routes/api/load/import.js'
import { importsRoutes } from './routes/api/load/imports.js'
import { rejectRoutes } from './routes/api/load/rejects.js'
import { sampleEventRoutes } from './routes/api/load/sample-events.js'
import { capacityRoutes } from './routes/api/namespaces/capacity.js'
import { deviceRoutes } from './routes/api/namespaces/device.js'
import { indexAdviceRoutes } from './routes/api/namespaces/index-advice.js'
import { indexRoutes } from './routes/api/namespaces/indexes.js'
import { backupScheduleRoutes } from './routes/api/namespaces/backup-schedules.js'
import { backupRoutes } from './routes/api/namespaces/backups.js'
import { migrationRoutes } from './routes/api/namespaces/migrations.js'
import { namespaceRoutes } from './routes/api/namespaces/namespaces.js'
import { clusterViewRoutes } from './routes/api/namespaces/cluster.js'
import { droppedRoutes } from './routes/api/namespaces/dropped.js'
import { truncationRoutes } from './routes/api/namespaces/truncations.js'
import { orphanRoutes } from './routes/api/namespaces/orphans.js'
import { pagedRoutes } from './routes/api/namespaces/paged.js'
import { profileRoutes } from './routes/api/namespaces/profiles.js'
import { setRoutes } from './routes/api/namespaces/sets.js'
import { batchReadRoutes, batchWriteRoutes } from './routes/api/records/batch.js'
import { queriesRoutes } from './routes/api/records/queries.js'
import { recordRoutes } from './routes/api/records/records.js'
import { searchRoutes } from './routes/api/records/search.js'
import { streamRoutes } from './routes/api/records/stream.js'
import { aboutRoutes } from './routes/api/server/about.js'
import { auditRoutes } from './routes/api/server/audit.js'
import { configRoutes } from './routes/api/server/config.js'
import { authRoutes } from './routes/api/server/auth.js'
import { diagnosticsRoutes } from './routes/api/server/diagnostics.js'
import { liveRoutes } from './routes/api/server/live.js'
import { historyRoutes } from './routes/api/server/metrics.js'
import { secondFactorRoutes } from './routes/api/server/second-factor.js'
import { sessionRoutes } from './routes/api/server/sessions.js'
import { slowRoutes } from './routes/api/server/slow.js'
import { statusRoutes } from './routes/api/server/status.js'
import { tokenRoutes } from './routes/api/server/tokens.js'
import { userRoutes } from './routes/api/server/users.js'
import { healthRoutes } from './routes/health.js'
import { prometheusRoutes } from './routes/prometheus.js'
import { compatibleBatchRoutes } from './routes/v1/batch.js'
import { clusterRoutes } from './routes/v1/cluster.js'
import { compatibleIndexRoutes } from './routes/v1/indexes.js'
import { infoRoutes } from './routes/v1/info.js'
import { kvRoutes } from './routes/v1/kvs.js'
import { namedOperateRoutes, typedOperateRoutes } from './routes/v1/operate.js'
import { compatibleQueryRoutes } from './routes/v1/query.js'
import { compatibleScanRoutes } from './routes/v1/scan.js'
import { compatibleTruncateRoutes } from './routes/v1/truncate.js'
import { compatible } from './routes/v1/wire/compatible.js'
import { ycsbRoutes } from './routes/ycsb.js'
import { keepBackupSchedules } from './backups/keep.js'
import { keepRevisions } from './revisions/keep.js'
import { keepSettings } from './config/running/keep.js'
import type { Start } from './config/sources.js'
import { revisionRoutes } from './routes/api/namespaces/revisions.js'
import { keepIndexUses } from './indexes/keep.js'
import { keepSlowSettings } from './slow/keep.js'
import { keepTraces } from './traces/keep.js'
import type { Crew } from './workers/crew.js'

/** Longest path parameter: a key of 10 KiB, percent-encoded. */
const PARAMETER_MAX = 30 * 1024
/** Longest request head, bytes: the longest key and some headers. */
const HEAD_MAX = 64 * 1024
/** How often Node looks which heads are late: so many times in the time that they have. */
const LOOKS = 2
/** Bodies have their own timeout, and `refuseOdd` says that a host is missing. */
const wireOf = ({ headTimeoutMs, idleTimeoutMs }: Config) => ({
  maxHeaderSize: HEAD_MAX,
  headersTimeout: headTimeoutMs,
  requestTimeout: 0,
  keepAliveTimeout: idleTimeoutMs,
  requireHostHeader: false,
  connectionsCheckingInterval: Math.ceil(headTimeoutMs / LOOKS),
})

/** Workers add a header, and keep their connections. */
const WIRE_OF_WORKERS = { maxHeaderSize: HEAD_MAX + 1024, keepAliveTimeout: 0 }

const NAME_OF_PLUGIN = Symbol.for('fastify.display-name')

/** Of an instance that nobody has started by a command. */
const DEFAULTS: Start = { args: [], environment: {} }

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
  aboutRoutes,
  capacityRoutes,
  documentRoute,
  namespaceRoutes,
  revisionRoutes,
  migrationRoutes,
  backupRoutes,
  backupScheduleRoutes,
  clusterViewRoutes,
  orphanRoutes,
  droppedRoutes,
  truncationRoutes,
  deviceRoutes,
  pagedRoutes,
  setRoutes,
  profileRoutes,
  indexRoutes,
  indexAdviceRoutes,
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
  slowRoutes,
  alertRoutes,
  alertRuleRoutes,
  alertWebhookRoutes,
  authRoutes,
  secondFactorRoutes,
  sessionRoutes,
  userRoutes,
  tokenRoutes,
  auditRoutes,
  configRoutes,
  diagnosticsRoutes,
]

export interface AppOptions {
  config: Config
  /** Where the configuration came from, to read it again; absent: the defaults. */
  start?: Start
  engine: Engine
  access: Access
  /** Sign-in by a provider; absent: there is none. */
  oidc?: OidcSettings | undefined
  /** Directory of the built console; absent: the one of this repository. */
  consoleFiles?: string
  /** Threads that answer in place of this one, and hand over to it what is not theirs. */
  crew?: Crew | undefined
  /** Where lines of the log go; absent: to standard output. */
  log?: LogSink
}

/** The whole gateway. Closing it ends live streams first and the engine last. */
export async function buildApp({ start, ...options }: AppOptions): Promise<App> {
  const { config, engine, access, oidc, consoleFiles, log, crew } = options
  const app = createApp(config, log, crew, start)
  provideEngine(app, engine)
  closePromptly(app, () => {
    app.uploads.close()
    engine.callOffJobs()
  })
  await keepTraces(app, engine)
  app.decorate('access', access)
  if (crew !== undefined) {
    app.decorate('crew', crew)
    crew.serve(app)
  }
  if (oidc !== undefined) app.decorate('oidc', new Provider(oidc, (failure, message) => app.log.warn(failure, message)))
  await declareApi(app, consoleFiles)
  return app
}

/** An instance without an engine: enough to declare routes and make the API document. */
export function createApp(config: Config, log: LogSink = logLines, crew?: Crew, start: Start = DEFAULTS): App {
  // Only workers have clients.
  const app = createInstance(config, log, crew === undefined ? {} : { comesFrom: crew })
  keepLogSender(app)
  keepTls(app)
  keepAdded(app)
  keepCallers(app)
  keepQueries(app)
  keepAlerts(app)
  keepSlowSettings(app)
  keepRevisions(app)
  keepSettings(app, start)
  keepIndexUses(app)
  keepBackupSchedules(app)
  keepAudit(app)
  app.decorate('uploads', new Uploads(() => app.engine, config, app.gate))
  return app
}

/** What differs if there are workers. */
export interface Place {
  /** In the main thread: whose requests it answers. */
  comesFrom?: { takes: (handle: RequestListener) => RequestListener }
  /** In a worker: connections, counted over all workers. */
  connections?: Connections
}

/** Serves, and bounds what its clients hold. It has no routes yet. */
export function createInstance(config: Config, log: LogSink, { comesFrom, connections: shared }: Place): App {
  const tail = new LogTail(log)
  const pipelines = new Pipelines()
  const gate = new Gate(config, pipelines)
  const connections = shared ?? new Connections(config)
  const secure = comesFrom === undefined ? secureOptions(config) : undefined
  // A worker has taken the path away.
  const base = comesFrom === undefined ? config.basePath : ''
  let http2: Http2Front | undefined
  const lateSchemas = new LateSchemas()
  const trusts = trustedProxies(config)
  const wire = comesFrom === undefined ? wireOf(config) : { ...wireOf(config), ...WIRE_OF_WORKERS }
  const app = Fastify({
    logger: logOptions(config, tail) ?? false,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: requestLogger,
    genReqId: requestId,
    requestIdHeader: false,
    trustProxy: trusts,
    routerOptions: { maxParamLength: PARAMETER_MAX, ignoreTrailingSlash: false },
    serverFactory: (handle) => {
      const own = pipelines.before(refuseOdd(below(base, gate.before(withScheme(trusts, handle)))))
      const listener = comesFrom === undefined ? own : comesFrom.takes(own)
      const server =
        secure === undefined ? createServer(wire, listener) : createSecureServer({ ...wire, ...secure }, listener)
      if (config.http2 && server instanceof SecureServer)
        http2 = new Http2Front(server, connections, config, () => app.stop.begun)
      // Node drops headers beyond a number, such as If-Match, without a word. The size of the head bounds them.
      server.maxHeadersCount = 0
      server.on('checkExpectation', refuseExpectation).on('connect', refuseTunnel)
      server.on('checkContinue', continueOrRefuse(listener))
      if (comesFrom === undefined) connections.watch(server as Server, secure !== undefined)
      // That of HTTPS has all of it, and Node's types do not say so.
      return server as Server
    },
    schemaController: { compilersFactory: { buildSerializer: lateSerializers(lateSchemas) } },
    // `closePromptly` refuses requests by then, with a code.
    return503OnClosing: false,
    frameworkErrors: sendProblem,
    clientErrorHandler: answerClientError,
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.decorate('config', config)
  app.decorate('logTail', tail)
  app.decorate('gate', gate)
  app.decorate('lateSchemas', lateSchemas)
  app.decorate('added', noneAdded())
  app.decorate('connections', connections)
  if (http2 !== undefined) app.decorate('http2', http2)
  app.decorate('streams', new Streams(config))
  const unread = new UnreadAnswers(config)
  app.decorate('unread', unread)
  app.decorate('damagedFiles', new DamagedFiles((message) => app.log.warn(message)))
  app.addHook('onListen', (done) => {
    gate.open()
    lateSchemas.open()
    unread.open()
    connections.open()
    done()
  })
  // Workers keep the connections that they have.
  if (comesFrom === undefined) acceptMore(app)
  app.addHook('preClose', (done) => {
    // A stop waits for all answers.
    gate.held.close()
    done()
  })
  app.addHook('onClose', (_app, done) => {
    gate.close()
    lateSchemas.close()
    unread.close()
    connections.close()
    done()
  })
  return app
}

/** Undefined: connections are not encrypted. */
function secureOptions(config: Config): HttpsOptions | undefined {
  const tls = readTls(config)
  if (tls === undefined) return undefined
  const asks = config.tlsClientCa !== undefined
  return {
    ...tls.context,
    ...(config.http2 && { ALPNProtocols: ALPN }),
    handshakeTimeout: config.headTimeoutMs,
    requestCert: asks,
    rejectUnauthorized: asks,
  }
}

/** What holds for all routes. */
export async function declareHooks(app: App): Promise<void> {
  validateStrictly(app)
  app.setErrorHandler(sendProblem)
  identify(app)
  logRequests(app)
  serverTiming(app)
  await allowOrigins(app)
  checkHosts(app)
  leadBelowBase(app)
  answerNotModified(app)
  boundUnread(app)
  requireCredentials(app)
  refuseChanges(app)
  answerOnce(app)
  writeAudit(app)
  linkPages(app)
  giveRoomBack(app)
  takeBodies(app)
  packAnswers(app)
  await compressAnswers(app)
}

/** Registers everything that answers. `consoleFiles`: the built console. */
export async function declareApi(app: App, consoleFiles = consoleRoot): Promise<void> {
  await declareHooks(app)
  await describeApi(app)
  const methods = collectMethods(app)

  await group(app, '', [dataHeaders, healthRoutes, prometheusRoutes])
  await declareRoutes(app, apiRoutes, compatibleRoutes)

  methods.refuseOthers()
  await app.register(async (scope) => {
    pageSecurity(scope as App)
    leadToSignIn(scope as App)
    docsPage(scope as App)
    errorPageRoute(scope as App)
    await serveConsole(scope as App, consoleFiles)
  })
  answerUnknown(app, isPage)
}

/** The routes that a worker answers, and others in the same files. */
export async function declareRecords(app: App): Promise<void> {
  await group(app, '', [dataHeaders, healthRoutes])
  await declareRoutes(
    app,
    [recordRoutes, batchWriteRoutes, batchReadRoutes],
    [kvRoutes, namedOperateRoutes, compatibleBatchRoutes],
  )
}

async function declareRoutes(app: App, own: readonly Part[], compatibles: readonly Part[]): Promise<void> {
  await group(app, '/ycsb', [dataHeaders, refuseUnknownParameters, ycsbRoutes])
  for (const routes of own) await group(app, '/api/v1', [dataHeaders, refuseUnknownParameters, refuseUntagged, routes])
  for (const routes of compatibles) await group(app, '/v1', [compatible, dataHeaders, routes])
  await group(app, '/v2', [compatible, dataHeaders, typedOperateRoutes])
}

type Part = (scope: App) => void

/** Each group has its own scope, so its headers and hooks do not affect other groups. */
async function group(app: App, prefix: string, parts: readonly Part[]): Promise<void> {
  const routes: FastifyPluginCallback = (scope, _options, done) => {
    for (const part of parts) part(scope as App)
    done()
  }
  // To name one without, Fastify looks for it among all modules of CommonJS.
  await app.register(Object.assign(routes, { [NAME_OF_PLUGIN]: `routes ${prefix}` }), { prefix })
}
