// Where the values of settings come from: flags over variables over the configuration file over defaults.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ConfigError } from '../config-values.js'
import { type ConfigFile, type FileSetting, settingsIn } from './file.js'
import { say } from '../sentences/sentence.js'

export interface Named extends FileSetting {
  variable: string
  flag?: string
  /** A variable of other programs that means the same, if ours is unset. Empty, it is unset as well. */
  usual?: string
  fallback: string
}

export interface Given {
  text: string
  /** The setting as its person wrote it, for messages. */
  name: string
  source: 'flag' | 'variable' | 'file' | 'default'
}

export type Environment = Readonly<Record<string, string | undefined>>

/** What a server was started with. It stays as long as the server runs. */
export interface Start {
  args: readonly string[]
  environment: Environment
}

const FILE_VARIABLE = 'TESSERA_CONFIG'
/** Variables of the command line `tessera`, which may be exported where a server is started too. */
const OF_CLIENTS = ['TESSERA_URL', 'TESSERA_TOKEN', 'TESSERA_TOKEN_FILE']

/** `TESSERA_LOG_LEVEL` is `logLevel` in the file. */
export const keyOf = ({ variable }: Pick<Named, 'variable'>): string =>
  variable
    .slice('TESSERA_'.length)
    .toLowerCase()
    .replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())

/** The configuration file that flags or environment name, if any. */
export function configFileOf(args: readonly string[], environment: Environment): string | undefined {
  const path = readFlags(args)['config'] ?? environment[FILE_VARIABLE]
  if (path === '')
    throw new ConfigError(say('--config and {variable} need the path of a file', { variable: FILE_VARIABLE }))
  return path === undefined ? undefined : resolve(String(path))
}

/**
 * Looks up the text of each setting. `read`: the configuration file, if there is one.
 *
 * @throws ConfigError naming the setting that is unknown
 */
export function sourcesOf(all: readonly Named[], { args, environment }: Start, read: ConfigFile | undefined) {
  refuseUnknown(all, environment)
  const flags = readFlags(args)
  const known = new Map(all.map((setting) => [keyOf(setting), setting]))
  const file = read === undefined ? undefined : settingsIn(read, known)
  return (setting: Named): Given => {
    const { flag, variable, usual, fallback } = setting
    const given = flag === undefined ? undefined : flags[flag]
    if (given !== undefined) return { text: String(given), name: `--${flag}`, source: 'flag' }
    const set = environment[variable]
    if (set !== undefined) return { text: set, name: variable, source: 'variable' }
    const common = usual === undefined ? undefined : environment[usual]
    if (usual !== undefined && common !== undefined && common !== '')
      return { text: common, name: usual, source: 'variable' }
    const key = keyOf(setting)
    const kept = file?.get(key)
    if (kept !== undefined) return { text: kept.text, name: `${kept.place}: ${key}`, source: 'file' }
    return { text: fallback, name: variable, source: 'default' }
  }
}

export function readFlags(args: readonly string[]): Record<string, string | boolean | undefined> {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        data: { type: 'string' },
        'no-auth': { type: 'boolean' },
        config: { type: 'string' },
        'print-config': { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    throw new ConfigError(`${(error as Error).message.split('. ')[0]}; --help lists the flags`)
  }
}

function refuseUnknown(all: readonly Named[], environment: Environment): void {
  const known = new Set([...all.map(({ variable }) => variable), FILE_VARIABLE, ...OF_CLIENTS])
  const unknown = Object.keys(environment).filter((name) => name.startsWith('TESSERA_') && !known.has(name))
  if (unknown.length > 0)
    throw new ConfigError(say('unknown setting {names}; --help lists all settings', { names: unknown.join(', ') }))
}
