// The configuration: flags over TESSERA_* variables over defaults, checked once before anything starts.
import { availableParallelism } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { durationMs } from './rest/duration.js'

export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const
export const ioBackends = ['auto', 'io_uring', 'threads'] as const
export const environments = ['development', 'staging', 'production'] as const

export interface Config {
  host: string
  port: number
  dataDirectory: string
  /** False only by --no-auth, and then only on loopback. */
  auth: boolean
  logLevel: (typeof logLevels)[number]
  environment: (typeof environments)[number]
  /** Largest body of a record or a batch, bytes. */
  bodyLimitBytes: number
  /** Longest time a body may take, and an upload may stand still, ms. */
  bodyTimeoutMs: number
  /** How long an upload that broke off waits for its rest, ms. */
  importPatienceMs: number
  /** Most streams that are open at once. */
  streamsMax: number
  /** Bytes that nobody has read yet, of all streams together, at which no further one is opened. */
  streamBytesMax: number
  /** How long the reader of a stream, or a live client, may read nothing, ms; 0: for ever. */
  readerPatienceMs: number
  /** Most bytes that memory namespaces without a limit may hold together; absent: a share of the memory. */
  memoryBytes: number | undefined
  /** Most bytes that requests may hold together; absent: a share of the memory. */
  requestBytes: number | undefined
  /** How long a request waits for its turn, ms. */
  requestPatienceMs: number
  /** How late the event loop may be before requests for data are refused, ms; 0: none are. */
  overloadDelayMs: number
  /** The 99th percentile of the event loop's delay from which on `status` has a notice, ms. */
  loopAlarmMs: number
  /** Threads of a scan, load or build that names none. */
  defaultThreads: number
  /** How reads and writes of devices are kept in flight. */
  io: (typeof ioBackends)[number]
  /** Folders below which namespaces may have files, and block devices that they may have. */
  devicePaths: string[]
}

/** A setting that cannot be used; its message is for the person at the terminal. */
export class ConfigError extends Error {}

const MIB = 1024 * 1024

interface Setting<T> {
  variable: string
  flag?: string
  help: string
  fallback: string
  read: (text: string, name: string) => T
}

type Settings = { [K in keyof Config]: Setting<Config[K]> }

const settings: Settings = {
  port: {
    variable: 'TESSERA_PORT',
    flag: 'port',
    help: 'port to listen on; 0 = any free one',
    fallback: '7373',
    read: integer(0, 65_535),
  },
  host: {
    variable: 'TESSERA_HOST',
    flag: 'host',
    help: 'address to bind',
    fallback: '127.0.0.1',
    read: nonEmpty,
  },
  dataDirectory: {
    variable: 'TESSERA_DATA_DIR',
    flag: 'data',
    help: 'directory that holds the data',
    fallback: './data',
    read: (text, name) => resolve(nonEmpty(text, name)),
  },
  auth: {
    variable: 'TESSERA_NO_AUTH',
    flag: 'no-auth',
    help: 'true: ask for no credentials; refused unless bound to loopback',
    fallback: 'false',
    read: (text, name) => oneOf(['true', 'false'])(text, name) === 'false',
  },
  logLevel: {
    variable: 'TESSERA_LOG_LEVEL',
    help: logLevels.join(', '),
    fallback: 'info',
    read: oneOf(logLevels),
  },
  environment: {
    variable: 'TESSERA_ENVIRONMENT',
    help: `${environments.join(', ')}; in production destructive calls need X-Confirm`,
    fallback: 'development',
    read: oneOf(environments),
  },
  bodyLimitBytes: {
    variable: 'TESSERA_BODY_LIMIT_BYTES',
    help: 'largest body of a record or a batch',
    fallback: String(32 * 1024 * 1024),
    read: integer(1024, 1024 * 1024 * 1024),
  },
  bodyTimeoutMs: {
    variable: 'TESSERA_BODY_TIMEOUT_MS',
    help: 'longest time a body may take, and an upload may stand still',
    fallback: '30000',
    read: integer(10, 3_600_000),
  },
  importPatienceMs: {
    variable: 'TESSERA_IMPORT_PATIENCE',
    help: 'how long an upload that broke off waits for its rest, such as 30s or 10m, at most 24h',
    fallback: '10m',
    read: duration(24 * 3_600_000),
  },
  streamsMax: {
    variable: 'TESSERA_STREAMS',
    help: 'most scans, queries, streams and exports that are answered at once; more are refused',
    fallback: '128',
    read: integer(1, 100_000),
  },
  streamBytesMax: {
    variable: 'TESSERA_STREAM_BYTES',
    help: 'bytes that their readers have not read yet, of all together, at which no more are opened',
    fallback: String(256 * MIB),
    read: integer(MIB, 1024 * 1024 * MIB),
  },
  readerPatienceMs: {
    variable: 'TESSERA_READER_PATIENCE',
    help: 'how long a reader of a stream may read nothing before it is ended, such as 30s; 0s: for ever',
    fallback: '60s',
    read: duration(24 * 3_600_000),
  },
  memoryBytes: {
    variable: 'TESSERA_MEMORY_BYTES',
    help: 'most bytes of memory namespaces without maxMemoryBytes, together; auto: 40% of the memory there is',
    fallback: 'auto',
    read: autoOr(integer(MIB, 1024 * 1024 * 1024 * MIB)),
  },
  requestBytes: {
    variable: 'TESSERA_REQUEST_BYTES',
    help: 'most bytes that queries, streams and bodies hold at once, together; auto: 25% of the memory there is',
    fallback: 'auto',
    read: autoOr(integer(MIB, 1024 * 1024 * 1024 * MIB)),
  },
  requestPatienceMs: {
    variable: 'TESSERA_REQUEST_PATIENCE',
    help: 'how long a request waits while others hold these bytes, before it is refused with 503',
    fallback: '5s',
    read: duration(60_000, '60s'),
  },
  overloadDelayMs: {
    variable: 'TESSERA_OVERLOAD_DELAY',
    help: 'delay of the event loop beyond which requests for data are refused with 503, such as 50ms; 0ms: none',
    fallback: '50ms',
    read: duration(60_000, '60s'),
  },
  loopAlarmMs: {
    variable: 'TESSERA_LOOP_ALARM',
    help: "99th percentile of the event loop's delay beyond which status has a notice",
    fallback: '200ms',
    read: duration(60_000, '60s'),
  },
  defaultThreads: {
    variable: 'TESSERA_THREADS',
    help: 'threads of jobs that name none',
    fallback: String(Math.min(availableParallelism(), 128)),
    read: integer(1, 128),
  },
  io: {
    variable: 'TESSERA_IO',
    help: `${ioBackends.join(', ')}: how device I/O is kept in flight; auto: io_uring where the kernel allows it`,
    fallback: 'auto',
    read: oneOf(ioBackends),
  },
  devicePaths: {
    variable: 'TESSERA_DEVICES',
    help: 'folders and block devices that namespaces may keep records on, absolute, with ":" between them',
    fallback: '',
    read: absolutePaths,
  },
}

/**
 * Reads flags and environment.
 *
 * @throws ConfigError naming the setting at fault.
 */
export function readConfig(args: readonly string[], environment: Readonly<Record<string, string | undefined>>): Config {
  refuseUnknown(environment)
  const flags = readFlags(args)
  const value = <K extends keyof Config>(key: K): Config[K] => {
    const { flag, variable, fallback, read } = settings[key]
    const given = flag === undefined ? undefined : flags[flag]
    if (given !== undefined) return read(String(given), `--${flag}`)
    return read(environment[variable] ?? fallback, variable)
  }
  const config: Config = {
    port: value('port'),
    host: value('host'),
    dataDirectory: value('dataDirectory'),
    auth: value('auth'),
    logLevel: value('logLevel'),
    environment: value('environment'),
    bodyLimitBytes: value('bodyLimitBytes'),
    bodyTimeoutMs: value('bodyTimeoutMs'),
    importPatienceMs: value('importPatienceMs'),
    streamsMax: value('streamsMax'),
    streamBytesMax: value('streamBytesMax'),
    readerPatienceMs: value('readerPatienceMs'),
    memoryBytes: value('memoryBytes'),
    requestBytes: value('requestBytes'),
    requestPatienceMs: value('requestPatienceMs'),
    overloadDelayMs: value('overloadDelayMs'),
    loopAlarmMs: value('loopAlarmMs'),
    defaultThreads: value('defaultThreads'),
    io: value('io'),
    devicePaths: value('devicePaths'),
  }
  if (!config.auth && !isLoopback(config.host)) {
    throw new ConfigError(`--no-auth needs a loopback address, and ${config.host} can be reached from outside`)
  }
  return config
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

export function wantsHelp(args: readonly string[]): boolean {
  return readFlags(args)['help'] === true
}

export function helpText(): string {
  const rows = Object.values(settings).map(({ flag, variable, help, fallback }) => {
    const names = flag === undefined ? variable : `--${flag}, ${variable}`
    return `  ${names.padEnd(28)} ${help} (${fallback})`
  })
  return ['Tessera: a record store that you can watch', '', ...rows, `  ${'--help'.padEnd(28)} this text`, ''].join(
    '\n',
  )
}

function readFlags(args: readonly string[]): Record<string, string | boolean | undefined> {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        data: { type: 'string' },
        'no-auth': { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    throw new ConfigError(`${(error as Error).message.split('. ')[0]}; --help lists the flags`)
  }
}

function refuseUnknown(environment: Readonly<Record<string, string | undefined>>): void {
  const known = new Set(Object.values(settings).map((setting) => setting.variable))
  const unknown = Object.keys(environment).filter((name) => name.startsWith('TESSERA_') && !known.has(name))
  if (unknown.length > 0) throw new ConfigError(`unknown setting ${unknown.join(', ')}; --help lists them`)
}

function integer(min: number, max: number) {
  return (text: string, name: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new ConfigError(`${name} must be an integer from ${min} to ${max}, not ${JSON.stringify(text)}`)
    }
    return value
  }
}

/** `auto` is what the engine takes by itself. */
function autoOr<T>(read: (text: string, name: string) => T) {
  return (text: string, name: string): T | undefined => (text === 'auto' ? undefined : read(text, name))
}

/** At most `max` ms, in words `most`. */
function duration(max: number, most = '24h') {
  return (text: string, name: string): number => {
    const value = durationMs(text)
    if (!/^\d+(ms|s|m|h)$/.test(text) || value > max) {
      throw new ConfigError(
        `${name} must be a duration such as 30s or 10m, at most ${most}, not ${JSON.stringify(text)}`,
      )
    }
    return value
  }
}

function oneOf<const T extends string>(words: readonly T[]) {
  return (text: string, name: string): T => {
    const word = words.find((candidate) => candidate === text)
    if (word === undefined)
      throw new ConfigError(`${name} must be one of ${words.join(', ')}, not ${JSON.stringify(text)}`)
    return word
  }
}

function absolutePaths(text: string, name: string): string[] {
  const paths = text === '' ? [] : text.split(':')
  const wrong = paths.find((path) => !isAbsolute(path))
  if (wrong !== undefined) {
    throw new ConfigError(`${name} must be absolute paths with ":" between them, not ${JSON.stringify(wrong)}`)
  }
  return paths
}

function nonEmpty(text: string, name: string): string {
  if (text === '') throw new ConfigError(`${name} must not be empty`)
  return text
}
