// The Fastify instance as routes and plugins see it.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Alerts } from './alerts/alerts.js'
import type { BodyRule } from './bodies/rule.js'
import type { Config } from './config.js'
import type { Engine } from './engines/engine.js'
import type { DamagedFiles } from './files/damaged-files.js'
import type { LiveFeed } from './live/feed.js'
import type { LiveHub } from './live/hub.js'
import type { Gate } from './overload/gate.js'
import type { UnreadAnswers } from './overload/unread.js'
import type { Streams } from './answers/streams.js'
import type { Uploads } from './imports/uploads.js'
import type { QueryHistory } from './queries/history.js'
import type { SavedQueries } from './queries/saved.js'
import type { KeptSlowSettings } from './slow/kept-settings.js'
import type { Access } from './auth/access.js'
import type { TSchema } from 'typebox'

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/**
 * `token`: the administrator token. `console`: a session. `local`: any program here with `--no-
 * auth`. Unset: not known.
 */
export type Caller = 'token' | 'console' | 'local' | 'nobody'

declare module 'fastify' {
  interface FastifyInstance {
    config: Config
    engine: Engine
    live: LiveHub
    feed: LiveFeed
    gate: Gate
    streams: Streams
    unread: UnreadAnswers
    access: Access
    damagedFiles: DamagedFiles
    queries: { saved: SavedQueries; history: QueryHistory }
    uploads: Uploads
    alerts: Alerts
    slow: KeptSlowSettings
  }
  interface FastifyRequest {
    /** The engine; time spent in it is added to `coreMs`. */
    engine: Engine
    coreMs: number
    /** Who sent the request. */
    who: Caller
  }
  interface FastifyContextConfig {
    /** Needs no credentials. */
    public?: boolean
    /** Its answer is sent also if clients leave too much unread. */
    vital?: boolean
    /** Whether Idempotency-Key is honoured. Unset: ignored, because the route changes nothing. */
    idempotent?: boolean
    /** How the route takes its body. `stream`: any type and size, as it comes. Unset: JSON of at most 1 MiB. */
    body?: BodyRule | 'stream'
    /** Media types of the answer, if it is not only JSON. */
    produces?: readonly string[]
    /** Request body by media type, for the OpenAPI document of routes that take bytes. */
    requestBody?: Record<string, TSchema>
    /** Parameters of routes that read their query strings themselves, for the OpenAPI document. */
    documents?: { params?: TSchema; querystring?: TSchema; headers?: TSchema }
  }
}
