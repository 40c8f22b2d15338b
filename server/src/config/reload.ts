// Reads the configuration file again while the server runs. What can change at once does; the rest waits for a restart.
import type { App } from '../app-types.js'
import { type Config, fileKey, isLive, readConfig } from '../config.js'
import type { Environment } from './sources.js'

/** Settings by their keys in the file: those that changed, and those that need a restart to change. */
export type Reloaded = { changed: string[]; needRestart: string[] } | { fault: string }

/** Reads flags, environment and file again, as at the start. Whatever is wrong with them, the settings of before stay. */
export function reloadConfig(app: App, args: readonly string[], environment: Environment): Reloaded {
  let wanted: Config
  try {
    wanted = readConfig(args, environment)
  } catch (error) {
    const fault = (error as Error).message
    app.log.error({ fault }, 'the configuration is wrong; the settings of before stay')
    return { fault }
  }
  const { config } = app
  const differ = (Object.keys(wanted) as (keyof Config)[]).filter((key) => !isSame(wanted[key], config[key]))
  const now = differ.filter(isLive)
  // Whoever reads a setting per request reads it from this object.
  Object.assign(config, Object.fromEntries(now.map((key) => [key, wanted[key]])))
  app.log.level = config.logLevel
  app.gate.measureBy(config)
  app.crew?.configure(config)
  const changed = now.map(fileKey)
  const needRestart = differ.filter((key) => !isLive(key)).map(fileKey)
  app.log.info({ changed }, 'the configuration was read again')
  if (needRestart.length > 0) app.log.warn({ needRestart }, 'these settings need a restart to change')
  return { changed, needRestart }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
