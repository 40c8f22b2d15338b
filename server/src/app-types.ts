// The Fastify instance as routes and plugins see it.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Alerts } from './alerts/alerts.js'
import type { Floods } from './audit/floods.js'
import type { AuditLog } from './audit/log.js'
import type { BodyRule } from './bodies/rule.js'
import type { Config } from './config.js'
import type { Engine } from './engines/engine.js'
import type { DamagedFiles } from './files/damaged-files.js'
import type { AddedCounts, AddedWindow } from './live/added.js'
import type { LateSchemas } from './hooks/late-schemas.js'
import type { LiveFeed } from './live/feed.js'
import type { LiveHub } from './live/hub.js'
import type { LogSender } from './log/sending/sender.js'
import type { LogTail } from './log/tail.js'
import type { Gate } from './overload/gate.js'
import type { UnreadAnswers } from './overload/unread.js'
import type { Streams } from './answers/streams.js'
import type { Uploads } from './imports/uploads.js'
import type { QueryHistory } from './queries/history.js'
import type { OpenQueriesOfCallers } from './queries/open.js'
import type { SavedQueries } from './queries/saved.js'
import type { BackupSchedules } from './backups/schedules.js'
import type { NamespaceRevisions } from './revisions/namespaces.js'
import type { RunningSettings } from './config/running/running.js'
import type { KeptIndexUses } from './indexes/kept-uses.js'
import type { ScannedShapes } from './indexes/scanned-shapes.js'
import type { KeptSlowSettings } from './slow/kept-settings.js'
import type { Access } from './auth/access.js'
import type { ApiTokens, KeptToken } from './auth/api-tokens.js'
import type { Guesses } from './auth/guesses.js'
import type { Provider } from './auth/oidc/provider.js'
import type { ErrorCode } from './error-table.js'
import type { KeptSessions } from './auth/kept-sessions.js'
import type { Session, Sessions } from './auth/sessions.js'
import type { Users } from './auth/users.js'
import type { Grants } from './auth/grants.js'
import type { Connections } from './network/connections.js'
import type { Http2Front } from './network/http2/front.js'
import type { KnownOwners, Workers } from './workers/calls.js'
import type { CallersLimits } from './limits/callers.js'
import type { RequestTrace } from './traces/request-trace.js'
import type { Needs } from './auth/permissions.js'
import type { Reach } from './auth/reach.js'
import type { TSchema } from 'typebox'

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/**
 * `token`: the administrator token. `token:NAME`: an API token. `user:NAME`: a user. `oidc:NAME`: somebody whom a
 * provider has signed in. `console`: a session that the administrator token began. `local`: any program here with `--no-auth`. `nobody`: not known.
 */
export type Caller = 'token' | `token:${string}` | `user:${string}` | `oidc:${string}` | 'console' | 'local' | 'nobody'

declare module 'fastify' {
  interface FastifyInstance {
    config: Config
    engine: Engine
    live: LiveHub
    feed: LiveFeed
    gate: Gate
    /** Schemas that are not compiled yet. */
    lateSchemas: LateSchemas
    /** What this thread has added to requests since the start. */
    added: AddedCounts
    /** In the main thread: what all threads have added lately. */
    addedLately: AddedWindow
    logTail: LogTail
    /** Undefined: nobody else gets the log. */
    logSender?: LogSender
    /** `begun`: the server was told to stop, and may still serve. `closes`: it takes no more requests. */
    stop: { begun: boolean; closes: boolean }
    streams: Streams
    connections: Connections
    /** Unset: HTTP/1.1 alone is spoken. */
    http2?: Http2Front
    unread: UnreadAnswers
    access: Access
    apiTokens: ApiTokens
    users: Users
    sessions: Sessions
    keptSessions: KeptSessions
    callersLimits: CallersLimits
    guesses: Guesses
    /** Sign-in by a provider, if there is one. */
    oidc?: Provider
    damagedFiles: DamagedFiles
    queries: { saved: SavedQueries; history: QueryHistory; open: OpenQueriesOfCallers }
    uploads: Uploads
    alerts: Alerts
    backupSchedules: BackupSchedules
    slow: KeptSlowSettings
    revisions: NamespaceRevisions
    settings: RunningSettings
    indexUses: KeptIndexUses
    scannedShapes: ScannedShapes
    /** With TLS: when the certificate of the server ends, Unix milliseconds. */
    certificate?: { endsAtMs: number }
    /** With TLS: reads the certificate again. */
    reloadTls?: () => void
    audit: AuditLog
    auditFloods: Floods
    /** In the main thread: the workers, if there are any. */
    crew?: Workers
    /** In a worker, whatever needs a token is asked here. */
    handOver?: KnownOwners
  }
  interface FastifyRequest {
    /** The engine, as far as the caller reaches; time spent in it is added to `coreMs`. */
    engine: Engine
    coreMs: number
    /** Who sent the request. */
    who: Caller
    /** What they may do, and where. Unset: nothing. */
    grants: Grants | undefined
    /** How far they reach if they lack the role of the route for the whole server. Unset: everywhere. */
    reach: Reach | undefined
    /** The API token that the request carries, if any. */
    apiToken: KeptToken | undefined
    /** The code of the problem that it was answered with, if any. */
    failure: ErrorCode | undefined
    /** The job that it has started, if any. */
    jobId: string | undefined
    /** Its spans, if it is traced. */
    trace: RequestTrace | undefined
    /** The session that the request belongs to, if any. */
    session: Session | undefined
    /** In a worker: the main thread answers it. Unset: this thread does. */
    elsewhere?: boolean
  }
  interface FastifyContextConfig {
    /** Needs no credentials. */
    public?: boolean
    /** Its name in the audit log, if the document of the API does not have it. */
    operation?: string
    /** Public, and who sends credentials is told what they may see. */
    named?: boolean
    /** False: pages of other sites may not read it, whatever the configuration says. */
    cors?: false
    /** Browsers call it by themselves, so it does not keep an idle session alive. */
    automatic?: boolean
    /** What the caller needs; see `auth/permissions.ts`. Unset: nothing. */
    needs?: Needs
    /** A read-only server refuses it. */
    changes?: true
    /** Its answer is sent also if clients leave too much unread. */
    vital?: boolean
    /** Whether Idempotency-Key is honoured. Unset: ignored, because the route changes nothing. */
    idempotent?: boolean
    /** How the route takes its body. `stream`: any type and size, as it comes. Unset: JSON of at most 1 MiB. */
    body?: BodyRule | 'stream'
    /** Media types of the answer, if it is not only JSON. */
    produces?: readonly string[]
    /** Of a PATCH that replaces members whole: what is there, to merge a merge-patch with. */
    merge?: (request: FastifyRequest) => Record<string, unknown> | Promise<Record<string, unknown>>
    /** Whether it also answers in MessagePack. */
    packed?: boolean
    /** Request body by media type, for the OpenAPI document of routes that take bytes. */
    requestBody?: Record<string, TSchema>
    /** Parameters of routes that read their query strings themselves, for the OpenAPI document. */
    documents?: { params?: TSchema; querystring?: TSchema; headers?: TSchema }
  }
}
