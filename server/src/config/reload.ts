// Reads the configuration file again while the server runs. What can change at once does; the rest waits for a restart.
import type { FastifyBaseLogger } from 'fastify'
import { type Config, fileKey, isLive, readSettings, type ReadSettings } from '../config.js'
import { ConfigError } from '../config-values.js'
import { saidOf, type Sentence } from '../sentences/sentence.js'
import type { Start } from './sources.js'

/** What a reload changes of a gateway. */
export interface Reloadable {
  config: Config
  log: FastifyBaseLogger
  gate: { measureBy: (config: Config) => void }
  /** In the main thread: the workers, if there are any. */
  crew?: { configure: (config: Config) => void; renewTls: () => void }
  /** With TLS: reads the certificate again. */
  reloadTls?: () => void
}

/** Settings by their keys in the file: those that changed, and those that need a restart to change. */
export type Reloaded =
  | { changed: string[]; needRestart: string[]; read: ReadSettings }
  | { fault: string; said?: Sentence }

/** Reads flags, environment and file again, as at the start. Whatever is wrong with them, the settings of before stay. */
export function reloadConfig(app: Reloadable, start: Start): Reloaded {
  let read: ReadSettings
  try {
    read = readSettings(start)
  } catch (error) {
    const fault = (error as Error).message
    app.log.error({ fault }, 'the configuration is wrong; the settings of before stay')
    return { fault, ...(error instanceof ConfigError && saidOf(error.said)) }
  }
  const { config } = app
  const differ = (Object.keys(read.config) as (keyof Config)[]).filter((key) => !isSame(read.config[key], config[key]))
  const now = differ.filter(isLive)
  // Whoever reads a setting per request reads it from this object.
  Object.assign(config, Object.fromEntries(now.map((key) => [key, read.config[key]])))
  app.log.level = config.logLevel
  app.gate.measureBy(config)
  app.crew?.configure(config)
  const changed = now.map(fileKey)
  const needRestart = differ.filter((key) => !isLive(key)).map(fileKey)
  app.log.info({ changed }, 'the configuration was read again')
  if (needRestart.length > 0) app.log.warn({ needRestart }, 'these settings need a restart to change')
  return { changed, needRestart, read }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
