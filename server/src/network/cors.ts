// Pages of other sites that may call the API (CORS). They need a token: a browser hides from them what a cookie would show.
import fastifyCors from '@fastify/cors'
import type { App } from '../app-types.js'

/** Headers of requests that pages may set. */
const TAKEN = [
  'Authorization',
  'Content-Type',
  'Content-Encoding',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'X-Automatic',
  'X-Confirm',
]

/** Headers of answers that pages may read, beside those that browsers always show. */
const SHOWN = [
  'Accept',
  'Accept-Patch',
  'Allow',
  'Content-Disposition',
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Server-Timing',
  'Sunset',
  'X-Export-Id',
  'X-Request-Id',
]

/** How long a browser may keep what a preflight said. */
const KEPT_SECONDS = 600

/** Has to come before the hooks that refuse requests, so that pages can read why. Off without `corsOrigins`. */
export async function allowOrigins(app: App): Promise<void> {
  const allowed = new Set(app.config.corsOrigins)
  if (allowed.size === 0) return
  // The plugin has a route for OPTIONS of everything else, which nobody needs a token for either.
  app.addHook('onRoute', (route) => {
    if (route.method === 'OPTIONS' && route.url === '*') route.config = { ...route.config, public: true }
  })
  await app.register(fastifyCors, {
    origin: (origin, done) => done(null, origin !== undefined && allowed.has(origin) ? origin : false),
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: TAKEN,
    exposedHeaders: SHOWN,
    credentials: false,
    maxAge: KEPT_SECONDS,
    // The route for OPTIONS answers, with Allow.
    preflightContinue: true,
    strictPreflight: false,
  })
}
