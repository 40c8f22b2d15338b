// The configuration: flags over TESSERA_* variables over a file over defaults, checked before anything starts.
import { platform } from 'node:process'
import { ConfigError } from './config-values.js'
import type { Config } from './config/config-shape.js'
import { type ConfigFile, readConfigFile } from './config/file.js'
import { settings } from './config/settings.js'
import { configFileOf, type Environment, type Given, keyOf, sourcesOf, type Start } from './config/sources.js'
import { say } from './sentences/sentence.js'

export { ConfigError }
export { type Config, environments, ioBackends, logLevels } from './config/config-shape.js'

/** The settings as flags, environment and file have them. */
export interface ReadSettings {
  config: Config
  settings: EffectiveSetting[]
  /** Unset: no file is used. */
  file?: ConfigFile
}

/**
 * Reads flags, environment and file. `text`: of the file, in place of what it has.
 *
 * @throws ConfigError naming the setting at fault, and its place in the file
 */
export function readSettings(start: Start, text?: string): ReadSettings {
  const path = configFileOf(start.args, start.environment)
  const file = path === undefined ? undefined : text === undefined ? readConfigFile(path) : { path, text }
  const keys = Object.keys(settings) as (keyof Config)[]
  const given = sourcesOf(Object.values(settings), start, file)
  const found = keys.map((id) => ({ id, ...given(settings[id]) }))
  const values = found.map(({ id, text: value, name }) => [id, settings[id].read(value, name)])
  const config = Object.fromEntries(values) as unknown as Config
  checkNetwork(config)
  return { config, settings: found.map(effective), ...(file !== undefined && { file }) }
}

/** @throws ConfigError as `readSettings` */
export const readConfig = (args: readonly string[], environment: Environment): Config =>
  readSettings({ args, environment }).config

/** What one setting alone cannot tell. */
function checkNetwork({
  host,
  socket,
  auth,
  corsOrigins,
  tlsCertificate,
  tlsKey,
  tlsClientCa,
  tlsClientCrl,
  http2,
  plainHttp,
  workers,
}: Config): void {
  const here = socket !== undefined || isLoopback(host)
  if (!auth && !here)
    throw new ConfigError(say('--no-auth needs a loopback address such as 127.0.0.1, got {given}', { given: host }))
  if (!auth && corsOrigins.length > 0)
    throw new ConfigError(
      say('TESSERA_CORS_ORIGINS needs authentication: without it, those sites could read everything'),
    )
  if (workers > 1 && socket === undefined && platform !== 'linux')
    throw new ConfigError(say('TESSERA_WORKERS needs Linux: other systems do not spread connections over threads'))
  if ((tlsCertificate === undefined) !== (tlsKey === undefined))
    throw new ConfigError(say('TESSERA_TLS_CERT and TESSERA_TLS_KEY need each other'))
  if (tlsCertificate === undefined && tlsClientCa !== undefined)
    throw new ConfigError(say('TESSERA_TLS_CLIENT_CA needs TESSERA_TLS_CERT and TESSERA_TLS_KEY'))
  if (tlsClientCa === undefined && tlsClientCrl !== undefined)
    throw new ConfigError(say('TESSERA_TLS_CLIENT_CRL needs TESSERA_TLS_CLIENT_CA'))
  if (tlsCertificate === undefined && http2)
    throw new ConfigError(say('TESSERA_HTTP2 needs TESSERA_TLS_CERT and TESSERA_TLS_KEY'))
  if (tlsCertificate === undefined && !here && !plainHttp)
    throw new ConfigError(
      say(
        'without TLS, everybody on the way to {host} can read tokens and records: set TESSERA_TLS_CERT and TESSERA_TLS_KEY, or TESSERA_PLAIN_HTTP=true',
        { host },
      ),
    )
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** The key of a setting in the file. */
export const fileKey = (key: keyof Config): string => keyOf(settings[key])

export const isLive = (key: keyof Config): boolean => settings[key].live === true

export interface EffectiveSetting {
  id: keyof Config
  /** As the file has it. */
  key: string
  value: string
  source: Given['source']
  /** A flag, a variable, a line of the file, or `default`. */
  from: string
  fallback: string
  /** Whether a reload changes it. */
  live: boolean
  /** Nobody is shown its value. */
  secret: boolean
}

function effective({ id, text, name, source }: Given & { id: keyof Config }): EffectiveSetting {
  const { fallback, live = false, secret = false } = settings[id]
  const key = fileKey(id)
  const from = { flag: name, variable: name, file: name.slice(0, -`: ${key}`.length), default: 'default' }[source]
  const value = secret && text !== '' ? '(not shown)' : text
  return { id, key, value, source, from, fallback, live, secret }
}

/**
 * What holds, and where each value comes from. Values of secrets are not shown.
 *
 * @throws ConfigError as `readSettings`
 */
export const effectiveSettings = (args: readonly string[], environment: Environment): EffectiveSetting[] =>
  readSettings({ args, environment }).settings

/** The settings for the diagnostics, by their keys in the file. Values of secrets are not shown. */
export const shownConfig = (config: Config): Record<string, unknown> =>
  Object.fromEntries(
    (Object.keys(settings) as (keyof Config)[]).map((key) => {
      const { secret, inverted } = settings[key]
      const value = inverted === true ? !config[key] : (config[key] ?? null)
      return [fileKey(key), secret === true && value !== null ? '(not shown)' : value]
    }),
  )

export const settingsHelp = (): { names: string; help: string; fallback: string }[] =>
  Object.values(settings).map(({ flag, variable, help, fallback }) => ({
    names: flag === undefined ? variable : `--${flag}, ${variable}`,
    help,
    fallback,
  }))
