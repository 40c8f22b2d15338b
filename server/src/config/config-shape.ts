// What a configuration has, once it is read.
export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const
export const ioBackends = ['auto', 'io_uring', 'threads'] as const
export const environments = ['development', 'staging', 'production'] as const
/** Of whom a second factor is demanded: nobody, or users with such a role or a higher one. */
export const demands = ['none', 'admins', 'operators', 'all'] as const
export type Demand = (typeof demands)[number]

export interface Config {
  host: string
  port: number
  /** A Unix socket to listen on in place of address and port. */
  socket: string | undefined
  /** Threads that answer HTTP; 1: the main thread alone. */
  workers: number
  /** PEM file of the server's certificate, and of those that lead to its authority; undefined: no TLS. */
  tlsCertificate: string | undefined
  /** PEM file of its key. */
  tlsKey: string | undefined
  /** PEM file of the authorities of which clients have to show a certificate. */
  tlsClientCa: string | undefined
  /** PEM file of lists of revoked certificates of clients. */
  tlsClientCrl: string | undefined
  /** Days before the end of the server's certificate from which on there is a notice. */
  tlsNoticeDays: number
  /** Whether HTTP/2 is spoken with clients that ask for it. */
  http2: boolean
  /** Whether HTTP without TLS is served to other machines. */
  plainHttp: boolean
  /** Names by which requests may call this server; empty: any. */
  hosts: string[]
  /** Path below which a proxy serves this server, such as `/tessera`; empty: the root. */
  basePath: string
  /** Origins of pages of other sites that may call the API with a token; empty: none. */
  corsOrigins: string[]
  /** Addresses and networks of proxies whose `X-Forwarded-*` is believed. */
  trustedProxies: string[]
  dataDirectory: string
  /** False only by --no-auth, and then only on loopback. */
  auth: boolean
  /** A session of a browser ends after this time without use, ms. */
  sessionIdleMs: number
  /** A session of a browser ends after this time in any case, ms. */
  sessionLifeMs: number
  /** How old a sign-in may be for what needs a fresh one, ms. */
  sessionFreshMs: number
  /** Which users with a password need a second factor. */
  secondFactor: Demand
  /** Where people sign in by OpenID Connect; undefined: nowhere. */
  oidcIssuer: string | undefined
  oidcClientId: string | undefined
  /** The file with the secret of the client; undefined: a public client. */
  oidcSecretFile: string | undefined
  /** Separated by blanks. */
  oidcScopes: string
  /** The claim that names a person. */
  oidcUserClaim: string
  /** The JSON file that says what the values of a claim grant. */
  oidcGrantsFile: string | undefined
  /** A session that a provider has begun ends after this time in any case, ms; undefined: as others. */
  oidcLifeMs: number | undefined
  logLevel: (typeof logLevels)[number]
  /** Whether the log has a line per request. */
  logRequests: boolean
  /** The collector of OpenTelemetry that the log and the audit log go to, too; undefined: there is none. */
  logsEndpoint: string | undefined
  /** The collector of OpenTelemetry that traces go to, without the path of OTLP; undefined: there are no traces. */
  tracesEndpoint: string | undefined
  /** Share of the requests that are traced, if their callers have not decided: 0 to 1. */
  tracesSample: number
  environment: (typeof environments)[number]
  /** Whether every request that changes something is refused. */
  readOnly: boolean
  /** How long a dropped namespace can be restored, ms; 0: a drop is for good. */
  undoMs: number
  /** Largest body of a record or a batch, bytes. */
  bodyLimitBytes: number
  /** Timeout of a body, and of an upload that sends nothing, ms. */
  bodyTimeoutMs: number
  /** How long an upload that broke off can be resumed, ms. */
  importPatienceMs: number
  /** Most streams that are open at once. */
  streamsMax: number
  /** Unread bytes of all streams together from which on new streams are refused. */
  streamBytesMax: number
  /** Most bytes of answers, streams excepted, that clients have not read. */
  unreadBytesMax: number
  /** How long the reader of a stream or of a large answer, or a live client, may read nothing, ms; 0: forever. */
  readerPatienceMs: number
  /** How long the server goes on serving once it is told to stop and says so, ms. */
  drainMs: number
  /** Most bytes that memory namespaces without a limit hold together; undefined: a share of the memory. */
  memoryBytes: number | undefined
  /** Most bytes that requests hold together; undefined: a share of the memory. */
  requestBytes: number | undefined
  /** How long a request waits for memory, ms. */
  requestPatienceMs: number
  /** Most connections of all clients; undefined: by the number of files that the process may open. */
  connectionsMax: number | undefined
  /** Most connections of one address; undefined: a share of all. */
  connectionsPerAddressMax: number | undefined
  /** How long a client may take for the head of a request, or for the handshake of TLS, ms. */
  headTimeoutMs: number
  /** How long a connection may be idle between two requests, ms. */
  idleTimeoutMs: number
  /** Most requests a second of an API token or a user that has no limit of its own; 0: no limit. */
  callerRequestsPerSecond: number
  /** Most of them at once after a pause; undefined: as many as in a second. */
  callerBurst: number | undefined
  /** Most of their requests at work at the same time; 0: no limit. */
  callerRequestsAtOnce: number
  /** Event loop delay above which data requests are refused, ms; 0: never. */
  overloadDelayMs: number
  /** Event loop delay (p99) above which `status` has a notice, ms. */
  loopAlarmMs: number
  /** Threads of a job that sets none. */
  defaultThreads: number
  /** How device reads and writes run. */
  io: (typeof ioBackends)[number]
  /** Folders and block devices that namespaces may use. */
  devicePaths: string[]
  /** Where backups are; undefined: in the data directory. */
  backupDirectory: string | undefined
  /** The file that describes the buckets that backups may go to. */
  backupTargetsFile: string | undefined
  /** The file that describes the clusters that namespaces may use. */
  clustersFile: string | undefined
  /** Whether the webhook of the alerts may be at a private, loopback, link-local or reserved address. */
  webhookPrivate: boolean
  /** Days that a file of the audit log is kept after its last entry; undefined: for ever. */
  auditKeepDays: number | undefined
  /** Bytes of the audit log above which `status` has a notice. */
  auditNoticeBytes: number
}
