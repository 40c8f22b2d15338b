// The settings of a running server: what holds, what the file has by now, changes of the file, and revisions.
import { ConfigError, readSettings, type ReadSettings } from '../../config.js'
import type { Form } from '../../config-values.js'
import { GatewayError } from '../../errors.js'
import { nameOf } from '../../network/host-name.js'
import { configEtag, requireMatch } from '../../requests/etag.js'
import { History, type HistoryOptions, type Noted, type Revision } from '../../revisions/history.js'
import { foundIn } from '../../revisions/namespaces.js'
import type { ReloadReport, ServerConfig, ServerSetting } from '../../schemas/server/config.js'
import { Turns } from '../../turns.js'
import { type ConfigFile, readConfigFile } from '../file.js'
import { groupOf } from '../groups.js'
import { reloadConfig, type Reloadable } from '../reload.js'
import { settings } from '../settings.js'
import type { Start } from '../sources.js'
import { type Plan, planOf, requireChangeable, type Wanted } from './plan.js'
import { isWritable, writeConfigFile } from './write-file.js'
import { say, saidOf, type Sentence } from '../../sentences/sentence.js'

/** The folder of the revisions, beside those of namespaces: their names have another shape. */
const FOLDER = 'server'

export interface Asked {
  dryRun: boolean
  ifMatch: string | undefined
  /** The `Host` of the request for a server that believes these proxies. */
  hostBehind: (proxies: readonly string[]) => string | undefined
  noted: Noted
}

export class RunningSettings {
  readonly #app: Reloadable
  readonly #start: Start
  readonly #history: History
  readonly #turns = new Turns()
  /** What holds, and the file as it was last taken over. */
  #held: ReadSettings

  constructor(app: Reloadable, start: Start, options: HistoryOptions) {
    this.#app = app
    this.#start = start
    this.#held = readSettings(start)
    this.#history = new History(FOLDER, options)
  }

  /** What holds, by the keys of the file, without secrets. */
  values(): Record<string, string> {
    return valuesOf(this.#held.settings)
  }

  /** Notes what a start has found. */
  started(): Promise<void> {
    return this.#turns.take('', async () => {
      const isFirst = (await this.#history.all()).length === 0
      await this.#history.add(this.values(), { cause: isFirst ? 'created' : 'found', who: 'start' })
    })
  }

  /** What holds, where it comes from, and what waits. The ETag is of the settings and of the file. */
  async show(): Promise<{ config: ServerConfig; etag: string }> {
    const { file } = this.#held
    if (file === undefined)
      return { config: { settings: this.#held.settings.map(shownOf) }, etag: this.#etag(undefined) }
    const now = this.#now()
    const fault = 'fault' in now ? { fault: now.fault, ...saidOf(now.said) } : undefined
    const waiting = 'read' in now ? this.#waiting(now.read) : new Map<string, ServerSetting['next']>()
    const shown = this.#held.settings.map((one): ServerSetting => {
      const next = waiting.get(one.key)
      return { ...shownOf(one), ...(next !== undefined && { next }) }
    })
    return {
      config: {
        file: {
          path: file.path,
          changed: now.text !== file.text,
          writable: await isWritable(file.path),
          ...fault,
        },
        settings: shown,
      },
      etag: this.#etag(now.text),
    }
  }

  /**
   * Changes the file and takes it over, or only answers the plan.
   *
   * @throws GatewayError `config_file_changed`, `precondition_failed`, `config_invalid`, `setting_fixed`,
   * `setting_overridden`, `config_file_none`, `config_file_unwritable`; nothing is changed then
   */
  change(wanted: Wanted, asked: Asked): Promise<Plan> {
    return this.#turns.take('', async () => {
      this.#guard(asked)
      const plan = planOf(this.#start, this.#held, wanted)
      requireChangeable(plan)
      return this.#carryOut(plan, asked)
    })
  }

  /** Rolls back to a revision: settings that can change here have its values again. Throws as `change`. */
  restore(number: number, asked: Asked): Promise<Plan> {
    return this.#turns.take('', async () => {
      const { config } = await this.#found(number)
      this.#guard(asked)
      const wanted = this.#held.settings.flatMap(({ id, key, fallback, secret }) => {
        const value = config[key]
        if (typeof value !== 'string' || secret) return []
        return [[id, value === fallback ? null : value] as const]
      })
      const plan = planOf(this.#start, this.#held, new Map(wanted))
      return this.#carryOut(plan, { ...asked, noted: { ...asked.noted, restored: number } })
    })
  }

  /**
   * Takes the file over as it is, and the certificates.
   *
   * @throws GatewayError `config_file_none`, and `config_file_invalid`: the settings of before stay then
   */
  reload(noted: Noted): Promise<ReloadReport> {
    return this.#turns.take('', async () => {
      const { reloadTls, crew } = this.#app
      if (this.#held.file === undefined && reloadTls === undefined) throw noFile()
      reloadTls?.()
      crew?.renewTls()
      if (this.#held.file === undefined) return { changes: [], needRestart: [] }
      const before = this.values()
      const needRestart = this.#takeOver()
      await this.#history.add(this.values(), noted)
      const after = this.values()
      const changes = Object.keys(after)
        .filter((key) => before[key] !== after[key])
        .map((field) => ({ field, from: before[field], to: after[field] }))
      return { changes, needRestart }
    })
  }

  /** Newest first. */
  revisions(): Promise<Revision[]> {
    return this.#turns.take('', async () => [...(await this.#history.all())].reverse())
  }

  /** @throws GatewayError `revision_not_found` */
  revision(number: number): Promise<Revision> {
    return this.#turns.take('', () => this.#found(number))
  }

  async #found(number: number): Promise<Revision> {
    return foundIn([...(await this.#history.all())].reverse(), number)
  }

  /** A change is made for the file as this server has taken it over, and for what the caller has seen of it. */
  #guard({ ifMatch }: Asked): void {
    const { file } = this.#held
    const text = file === undefined ? undefined : this.#unchanged(file)
    requireMatch(ifMatch, this.#etag(text))
  }

  #unchanged({ path, text }: ConfigFile): string {
    const now = this.#now()
    if (now.text === text) return text
    const why = now.text === undefined && 'fault' in now ? (now.said ?? now.fault) : undefined
    throw new GatewayError(
      'config_file_changed',
      why === undefined
        ? say('{path} is not as this server has read it. Reload it, look at it, and change it then', { path })
        : say('{path} is not as this server has read it: {why}. Reload it, look at it, and change it then', {
            path,
            why,
          }),
    )
  }

  async #carryOut(plan: Plan, { dryRun, hostBehind, noted }: Asked): Promise<Plan> {
    requireOwnName(plan, hostBehind)
    if (dryRun) return plan
    if (this.#held.file === undefined) throw noFile()
    if (plan.file === undefined) return plan
    const before = this.#unchanged(this.#held.file)
    await writeConfigFile(plan.file.path, plan.file.text)
    try {
      this.#takeOver()
    } catch (error) {
      await writeConfigFile(plan.file.path, before)
      this.#app.log.error({ err: error }, 'the change of the configuration file was taken back')
      // A part of it may hold already.
      reloadConfig(this.#app, this.#start)
      throw error
    }
    await this.#history.add(this.values(), noted)
    return plan
  }

  /** @throws GatewayError `config_file_invalid` */
  #takeOver(): string[] {
    const told = reloadConfig(this.#app, this.#start)
    if ('fault' in told) throw new GatewayError('config_file_invalid', told.said ?? told.fault)
    const before = new Map(this.#held.settings.map((one) => [one.id, one]))
    const held = told.read.settings.map((one) => (one.live ? one : (before.get(one.id) ?? one)))
    this.#held = { ...told.read, settings: held }
    return told.needRestart
  }

  /** The file as it is now, and what it says. */
  #now(): { text?: string; read: ReadSettings } | { text?: string; fault: string; said?: Sentence } {
    const path = this.#held.file?.path ?? ''
    let text: string | undefined
    try {
      ;({ text } = readConfigFile(path))
      return { text, read: readSettings(this.#start, text) }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return { ...(text !== undefined && { text }), fault: error.message, ...saidOf(error.said) }
    }
  }

  /** What the file has by now and what does not hold yet, by key. */
  #waiting(read: ReadSettings): Map<string, ServerSetting['next']> {
    const held = new Map(this.#held.settings.map(({ id, value }) => [id, value]))
    const differ = read.settings.filter(({ id, value }) => held.get(id) !== value)
    return new Map(
      differ.map(({ key, value, live, secret }) => [
        key,
        { ...(!secret && { value }), needs: live ? ('reload' as const) : ('restart' as const) },
      ]),
    )
  }

  #etag(text: string | undefined): string {
    return configEtag([text, ...this.#held.settings.map(({ value }) => value)])
  }
}

const noFile = (): GatewayError =>
  new GatewayError(
    'config_file_none',
    say('this server uses no configuration file: start it with --config FILE or TESSERA_CONFIG=FILE'),
  )

/** Whoever changes the names of the server, or the proxies that tell them, must be able to change them back. */
function requireOwnName({ after, changes }: Plan, hostBehind: Asked['hostBehind']): void {
  const changed = changes.find(
    ({ field, applies }) => ['hosts', 'trustedProxies'].includes(field) && applies === 'at_once',
  )
  if (changed === undefined) return
  const valueOf = (key: 'hosts' | 'trustedProxies'): string => after.find(({ id }) => id === key)?.value ?? ''
  const names = settings.hosts.read(valueOf('hosts'), 'hosts')
  const own = nameOf(hostBehind(settings.trustedProxies.read(valueOf('trustedProxies'), 'trustedProxies')))
  if (names.length === 0 || names.includes(own)) return
  throw new GatewayError(
    'config_invalid',
    say('hosts lacks "{own}", by which you would call this server: you could not undo it here', {
      own: own.slice(0, 80),
    }),
    { field: `settings.${changed.field}` },
  )
}

/** Without secrets. */
export const valuesOf = (all: ReadSettings['settings']): Record<string, string> =>
  Object.fromEntries(all.filter(({ secret }) => !secret).map(({ key, value }) => [key, value]))

export function shownOf({
  id,
  key,
  value,
  source,
  from,
  fallback,
  live,
  secret,
}: ReadSettings['settings'][number]): ServerSetting {
  const { help, variable, flag, read, separator } = settings[id]
  return {
    key,
    group: groupOf[id],
    help,
    variable,
    ...(flag !== undefined && { flag: `--${flag}` }),
    form: formOf(read.form, separator),
    ...(!secret && { value }),
    default: fallback,
    source,
    ...(source !== 'default' && { from }),
    live,
    secret,
  }
}

function formOf(form: Form = { kind: 'text' }, separator: string | undefined): ServerSetting['form'] {
  const { words, ...plain } = { words: undefined, ...form }
  return {
    ...plain,
    ...(words !== undefined && { words: [...words] }),
    ...(separator !== undefined && { separator }),
  }
}
