// All settings: what each is, how it is named and read, and what it is without being set.
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import {
  absolutePath,
  absolutePaths,
  autoOr,
  basePath,
  collector,
  duration,
  flag,
  integer,
  issuer,
  listOf,
  networks,
  nonEmpty,
  oneOf,
  optional,
  origins,
  scopes,
  share,
  visible,
} from '../config-values.js'
import { type Config, environments, ioBackends, logLevels } from './config-shape.js'
import type { Named } from './sources.js'

const MIB = 1024 * 1024

export interface Setting<T> extends Named {
  help: string
  read: (text: string, name: string) => T
  /** The configuration has the opposite, as `auth` for `noAuth`. */
  inverted?: true
  /** A reload changes it at once. Whoever uses it reads it from the configuration each time. */
  live?: true
  /** Nobody is shown its value. */
  secret?: true
}

type Settings = { [K in keyof Config]: Setting<Config[K]> }

export const settings: Settings = {
  port: {
    variable: 'TESSERA_PORT',
    flag: 'port',
    help: 'port to listen on; 0: any free port',
    fallback: '7373',
    read: integer(0, 65_535),
  },
  host: {
    variable: 'TESSERA_HOST',
    flag: 'host',
    help: 'address to listen on',
    fallback: '127.0.0.1',
    read: nonEmpty,
  },
  socket: {
    variable: 'TESSERA_SOCKET',
    help: 'absolute path of a Unix socket to listen on in place of address and port',
    fallback: '',
    read: absolutePath,
  },
  workers: {
    variable: 'TESSERA_WORKERS',
    help: 'threads that answer HTTP; 1: the main thread alone',
    fallback: '1',
    read: integer(1, 64),
  },
  tlsCertificate: {
    variable: 'TESSERA_TLS_CERT',
    help: 'PEM file with the certificate of the server, for HTTPS: an absolute path',
    fallback: '',
    read: absolutePath,
  },
  tlsKey: {
    variable: 'TESSERA_TLS_KEY',
    help: 'PEM file with its key',
    fallback: '',
    read: absolutePath,
  },
  tlsClientCa: {
    variable: 'TESSERA_TLS_CLIENT_CA',
    help: 'PEM file of authorities: clients have to show a certificate of one of them',
    fallback: '',
    read: absolutePath,
  },
  tlsClientCrl: {
    variable: 'TESSERA_TLS_CLIENT_CRL',
    help: 'PEM file with lists of revoked client certificates, one of each authority: an absolute path',
    fallback: '',
    read: absolutePath,
  },
  tlsNoticeDays: {
    variable: 'TESSERA_TLS_NOTICE_DAYS',
    help: 'days before the end of the certificate from which on the status shows a notice',
    fallback: '14',
    live: true,
    read: integer(0, 365),
  },
  plainHttp: {
    variable: 'TESSERA_PLAIN_HTTP',
    help: 'true: serve HTTP without TLS to other machines, which everybody on the way can read',
    fallback: 'false',
    read: flag,
  },
  hosts: {
    variable: 'TESSERA_HOSTS',
    help: 'names by which requests may call this server, separated by ","; unset: any',
    fallback: '',
    live: true,
    separator: ',',
    read: listOf(/^[a-z0-9.-]+$|^\[[0-9a-f:.]+\]$/, 'host names in small letters, without ports'),
  },
  basePath: {
    variable: 'TESSERA_BASE_PATH',
    help: 'path below which a proxy serves this server, such as /tessera; unset: the root',
    fallback: '',
    read: basePath,
  },
  corsOrigins: {
    variable: 'TESSERA_CORS_ORIGINS',
    help: 'origins of pages that may call the API with a token, such as https://app.example.com, separated by ","',
    fallback: '',
    read: origins,
  },
  trustedProxies: {
    variable: 'TESSERA_TRUSTED_PROXIES',
    help: 'addresses and networks of proxies whose X-Forwarded headers are believed, separated by ","',
    fallback: '',
    live: true,
    separator: ',',
    read: (text, name) => networks(listOf(/./, 'addresses or networks')(text, name), name),
  },
  dataDirectory: {
    variable: 'TESSERA_DATA_DIR',
    flag: 'data',
    help: 'data directory',
    fallback: './data',
    read: (text, name) => resolve(nonEmpty(text, name)),
  },
  auth: {
    variable: 'TESSERA_NO_AUTH',
    flag: 'no-auth',
    help: 'true: run without authentication; only allowed on a loopback address',
    fallback: 'false',
    read: (text, name) => oneOf(['true', 'false'])(text, name) === 'false',
    inverted: true,
  },
  sessionIdleMs: {
    variable: 'TESSERA_SESSION_IDLE',
    help: 'a session of a browser ends after this time without use, such as 30m, at most 720h',
    fallback: '1h',
    read: duration(720 * 3_600_000, '720h', 1000),
  },
  sessionLifeMs: {
    variable: 'TESSERA_SESSION_LIFE',
    help: 'a session of a browser ends after this time in any case, such as 8h, at most 720h',
    fallback: '12h',
    read: duration(720 * 3_600_000, '720h', 1000),
  },
  oidcIssuer: {
    variable: 'TESSERA_OIDC_ISSUER',
    help: 'address of an OpenID Connect provider that people sign in with: HTTPS, or HTTP on this machine',
    fallback: '',
    read: optional(issuer),
  },
  oidcClientId: {
    variable: 'TESSERA_OIDC_CLIENT_ID',
    help: 'name of this server at the provider',
    fallback: '',
    read: optional(visible(true)),
  },
  oidcSecretFile: {
    variable: 'TESSERA_OIDC_CLIENT_SECRET_FILE',
    help: 'file with the secret of this server at the provider: an absolute path; unset: a public client',
    fallback: '',
    read: absolutePath,
  },
  oidcScopes: {
    variable: 'TESSERA_OIDC_SCOPES',
    help: 'scopes to ask the provider for, separated by blanks; openid is one of them',
    fallback: 'openid profile',
    read: scopes,
  },
  oidcUserClaim: {
    variable: 'TESSERA_OIDC_USER_CLAIM',
    help: 'claim that names a person, such as email or sub',
    fallback: 'preferred_username',
    read: visible(),
  },
  oidcGrantsFile: {
    variable: 'TESSERA_OIDC_GRANTS',
    help: 'JSON file that says what the values of a claim, such as groups, grant: an absolute path',
    fallback: '',
    read: absolutePath,
  },
  oidcLifeMs: {
    variable: 'TESSERA_OIDC_SESSION_LIFE',
    help: 'a session that a provider has begun ends after this time in any case, such as 1h; auto: as others',
    fallback: 'auto',
    read: autoOr(duration(720 * 3_600_000, '720h', 1000)),
  },
  logLevel: {
    variable: 'TESSERA_LOG_LEVEL',
    help: logLevels.join(', '),
    fallback: 'info',
    live: true,
    read: oneOf(logLevels),
  },
  logRequests: {
    variable: 'TESSERA_LOG_REQUESTS',
    help: 'true: the log has a line per request, at level info: caller, operation, status, duration',
    fallback: 'false',
    live: true,
    read: flag,
  },
  tracesEndpoint: {
    variable: 'TESSERA_TRACES_ENDPOINT',
    usual: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    help: 'collector for traces, such as http://127.0.0.1:4318; unset: OTEL_EXPORTER_OTLP_ENDPOINT, else no traces',
    fallback: '',
    read: optional(collector),
  },
  tracesSample: {
    variable: 'TESSERA_TRACES_SAMPLE',
    help: 'share of the requests that are traced, 0 to 1, unless their caller has decided',
    fallback: '0.1',
    read: share,
  },
  environment: {
    variable: 'TESSERA_ENVIRONMENT',
    help: `${environments.join(', ')}; in production, destructive calls need X-Confirm`,
    fallback: 'development',
    live: true,
    read: oneOf(environments),
  },
  readOnly: {
    variable: 'TESSERA_READ_ONLY',
    help: 'true: refuse every request that changes something; reads, scans and sign-in go on',
    fallback: 'false',
    live: true,
    read: flag,
  },
  undoMs: {
    variable: 'TESSERA_UNDO',
    help: 'how long drops and truncations can be undone, such as 10m, at most 24h; 0s: they are for good',
    fallback: '10m',
    read: duration(24 * 3_600_000),
  },
  bodyLimitBytes: {
    variable: 'TESSERA_BODY_LIMIT_BYTES',
    help: 'maximum body of a record or a batch, in bytes',
    fallback: String(32 * 1024 * 1024),
    read: integer(1024, 1024 * 1024 * 1024),
  },
  bodyTimeoutMs: {
    variable: 'TESSERA_BODY_TIMEOUT_MS',
    help: 'timeout of a body, and of an upload that sends nothing, in milliseconds',
    fallback: '30000',
    live: true,
    read: integer(10, 3_600_000),
  },
  importPatienceMs: {
    variable: 'TESSERA_IMPORT_PATIENCE',
    help: 'how long an upload that broke off can be resumed, such as 30s or 10m, at most 24h',
    fallback: '10m',
    live: true,
    read: duration(24 * 3_600_000),
  },
  streamsMax: {
    variable: 'TESSERA_STREAMS',
    help: 'maximum number of open scans, queries, streams and exports; more are refused',
    fallback: '128',
    live: true,
    read: integer(1, 100_000),
  },
  streamBytesMax: {
    variable: 'TESSERA_STREAM_BYTES',
    help: 'maximum bytes that all open streams hold for their readers; beyond it, new ones are refused',
    fallback: String(256 * MIB),
    live: true,
    read: integer(MIB, 1024 * 1024 * MIB),
  },
  unreadBytesMax: {
    variable: 'TESSERA_UNREAD_BYTES',
    help: 'maximum bytes of other answers that clients have not read; beyond it, large ones are refused with 503',
    fallback: String(256 * MIB),
    live: true,
    read: integer(MIB, 1024 * 1024 * MIB),
  },
  readerPatienceMs: {
    variable: 'TESSERA_READER_PATIENCE',
    help: 'how long a client may read nothing of a stream or large answer, such as 30s; 0s: forever',
    fallback: '60s',
    read: duration(24 * 3_600_000),
  },
  drainMs: {
    variable: 'TESSERA_DRAIN',
    help: 'how long the server goes on serving once it is told to stop and /readyz says so, such as 5s, at most 60s',
    fallback: '0s',
    read: duration(60_000, '60s'),
  },
  memoryBytes: {
    variable: 'TESSERA_MEMORY_BYTES',
    help: 'memory that all memory namespaces without maxMemoryBytes share, in bytes; auto: 40% of the memory',
    fallback: 'auto',
    read: autoOr(integer(MIB, 1024 * 1024 * 1024 * MIB)),
  },
  requestBytes: {
    variable: 'TESSERA_REQUEST_BYTES',
    help: 'memory that all queries, streams and bodies share, in bytes; auto: 25% of the memory',
    fallback: 'auto',
    read: autoOr(integer(MIB, 1024 * 1024 * 1024 * MIB)),
  },
  requestPatienceMs: {
    variable: 'TESSERA_REQUEST_PATIENCE',
    help: 'how long a request waits for that memory before it is refused with 503',
    fallback: '5s',
    read: duration(60_000, '60s'),
  },
  connectionsMax: {
    variable: 'TESSERA_CONNECTIONS',
    help: 'maximum connections; auto: half of the files that may be open, at most 16384',
    fallback: 'auto',
    read: autoOr(integer(1, 1_000_000)),
  },
  connectionsPerAddressMax: {
    variable: 'TESSERA_CONNECTIONS_PER_ADDRESS',
    help: 'maximum connections of one address, or of one /64 network of IPv6; auto: half of all',
    fallback: 'auto',
    read: autoOr(integer(1, 1_000_000)),
  },
  headTimeoutMs: {
    variable: 'TESSERA_HEAD_TIMEOUT',
    help: 'timeout of the head of a request, and of the handshake of TLS, such as 10s, at most 10m',
    fallback: '10s',
    read: duration(600_000, '10m', 1000),
  },
  idleTimeoutMs: {
    variable: 'TESSERA_IDLE_TIMEOUT',
    help: 'how long a connection may be idle between two requests, such as 30s, at most 1h',
    fallback: '72s',
    read: duration(3_600_000, '1h', 1000),
  },
  callerRequestsPerSecond: {
    variable: 'TESSERA_CALLER_REQUESTS_PER_SECOND',
    help: 'maximum requests a second of an API token or user without a limit of its own; 0: no limit',
    fallback: '0',
    read: integer(0, 1_000_000),
  },
  callerBurst: {
    variable: 'TESSERA_CALLER_BURST',
    help: 'maximum of them at once after a pause; auto: as many as in a second',
    fallback: 'auto',
    read: autoOr(integer(1, 1_000_000)),
  },
  callerRequestsAtOnce: {
    variable: 'TESSERA_CALLER_REQUESTS_AT_ONCE',
    help: 'maximum requests at work at the same time of such a token or user; 0: no limit',
    fallback: '0',
    read: integer(0, 1_000_000),
  },
  overloadDelayMs: {
    variable: 'TESSERA_OVERLOAD_DELAY',
    help: 'event loop delay above which data requests are refused with 503, such as 50ms; 0ms: never',
    fallback: '50ms',
    live: true,
    read: duration(60_000, '60s'),
  },
  loopAlarmMs: {
    variable: 'TESSERA_LOOP_ALARM',
    help: 'event loop delay (p99) above which the status shows a notice',
    fallback: '200ms',
    live: true,
    read: duration(60_000, '60s'),
  },
  defaultThreads: {
    variable: 'TESSERA_THREADS',
    help: 'threads of a job that sets no threads',
    fallback: String(Math.min(availableParallelism(), 128)),
    live: true,
    read: integer(1, 128),
  },
  io: {
    variable: 'TESSERA_IO',
    help: `${ioBackends.join(', ')}: how device I/O runs; auto: io_uring if the kernel allows it`,
    fallback: 'auto',
    read: oneOf(ioBackends),
  },
  devicePaths: {
    variable: 'TESSERA_DEVICES',
    help: 'folders and block devices that namespaces may use: absolute paths, separated by ":"',
    fallback: '',
    separator: ':',
    read: absolutePaths,
  },
  backupDirectory: {
    variable: 'TESSERA_BACKUP_DIR',
    help: 'directory of the backups: an absolute path; unset: backups in the data directory',
    fallback: '',
    read: absolutePath,
  },
  backupTargetsFile: {
    variable: 'TESSERA_BACKUP_TARGETS',
    help: 'JSON file that describes the S3-compatible buckets that backups may go to: an absolute path',
    fallback: '',
    read: absolutePath,
  },
  clustersFile: {
    variable: 'TESSERA_CLUSTERS',
    help: 'JSON file that describes the Cassandra clusters that namespaces may use: an absolute path',
    fallback: '',
    read: absolutePath,
  },
  webhookPrivate: {
    variable: 'TESSERA_WEBHOOK_PRIVATE',
    help: 'true: the webhook of alerts may be at a private, loopback, link-local or reserved address',
    fallback: 'false',
    read: flag,
  },
  auditKeepDays: {
    variable: 'TESSERA_AUDIT_KEEP_DAYS',
    help: 'days that a file of the audit log is kept after its last entry; forever: it is never removed',
    fallback: 'forever',
    read: (text, name) => (text === 'forever' ? undefined : integer(1, 36_500)(text, name)),
  },
  auditNoticeBytes: {
    variable: 'TESSERA_AUDIT_NOTICE_BYTES',
    help: 'size of the audit log, in bytes, above which the status shows a notice',
    fallback: String(1024 * MIB),
    read: integer(MIB, 1024 * 1024 * MIB),
  },
}
