// The gateway as a Fastify instance: plugins and routes by name, top to bottom. server.ts listens.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { LogController } from 'fastify'
import type { App } from './app-types.js'
import type { Access } from './auth/access.js'
import type { Config } from './config.js'
import type { Engine } from './engines/engine.js'
import { GatewayError, sendProblem } from './errors.js'
import { requireCredentials } from './plugins/auth.js'
import { provideEngine } from './plugins/engine.js'
import { dataHeaders, requestId } from './plugins/headers.js'
import { collectMethods } from './plugins/methods.js'
import { describeApi } from './plugins/openapi.js'
import { validateStrictly } from './plugins/validation.js'
import { acceptControlJson } from './rest/body.js'
import { authRoutes } from './routes/api/auth.js'
import { exportRoutes } from './routes/api/export.js'
import { importRoutes } from './routes/api/import.js'
import { indexRoutes } from './routes/api/indexes.js'
import { jobRoutes } from './routes/api/jobs.js'
import { liveRoutes } from './routes/api/live.js'
import { historyRoutes } from './routes/api/metrics.js'
import { namespaceRoutes } from './routes/api/namespaces.js'
import { batchRoutes, recordRoutes } from './routes/api/records.js'
import { searchRoutes } from './routes/api/search.js'
import { setRoutes } from './routes/api/sets.js'
import { statusRoutes } from './routes/api/status.js'
import { healthRoutes, prometheusRoutes } from './routes/health.js'

/** Longest path parameter: a key of 8 KiB, percent-encoded. */
const PARAMETER_MAX = 24 * 1024
/** Longest request head, bytes: such a key and some headers. */
const HEAD_MAX = 64 * 1024
const HEAD_TIMEOUT_MS = 10_000

export interface AppOptions {
  config: Config
  engine: Engine
  access: Access
}

/** The whole gateway. Closing it ends live streams first and the engine last. */
export async function buildApp({ config, engine, access }: AppOptions): Promise<App> {
  const app = createApp(config)
  provideEngine(app, engine)
  app.decorate('access', access)
  await declareApi(app)
  return app
}

/** An instance without an engine: enough to declare routes and make the API document. */
export function createApp(config: Config): App {
  const app = Fastify({
    logger: { level: config.logLevel, redact: ['req.headers.authorization', 'req.headers.cookie'] },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    requestIdHeader: false,
    routerOptions: { maxParamLength: PARAMETER_MAX, ignoreTrailingSlash: false },
    http: { maxHeaderSize: HEAD_MAX, headersTimeout: HEAD_TIMEOUT_MS, requestTimeout: 0 },
    frameworkErrors: sendProblem,
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.decorate('config', config)
  return app
}

/** Registers everything that answers. */
export async function declareApi(app: App): Promise<void> {
  validateStrictly(app)
  app.setErrorHandler(sendProblem)
  requireCredentials(app)
  dataHeaders(app)
  await describeApi(app)
  const methods = collectMethods(app)

  const api = (routes: (scope: App) => void) =>
    app.register(
      (scope, _options, done) => {
        acceptControlJson(scope as App)
        routes(scope as App)
        done()
      },
      { prefix: '/api/v1' },
    )

  await app.register((scope, _options, done) => {
    healthRoutes(scope as App)
    prometheusRoutes(scope as App)
    done()
  })
  await api(statusRoutes)
  await api(namespaceRoutes)
  await api(setRoutes)
  await api(indexRoutes)
  await api(recordRoutes)
  await api(batchRoutes)
  await api(searchRoutes)
  await api(importRoutes)
  await api(exportRoutes)
  await api(jobRoutes)
  await api(liveRoutes)
  await api(historyRoutes)
  await api(authRoutes)

  methods.refuseOthers()
  app.setNotFoundHandler((request) => {
    throw new GatewayError('route_not_found', `there is no ${request.url.split('?')[0] ?? ''}`)
  })
}
