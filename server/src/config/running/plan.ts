// What a change of settings of a running server would do: the text of the file after it, and what each setting does.
import { type Config, ConfigError, fileKey, readSettings, type ReadSettings } from '../../config.js'
import { GatewayError } from '../../errors.js'
import type { PlannedSetting, SettingValue } from '../../schemas/server/config.js'
import { english, saidOf, say, type Sentence } from '../../sentences/sentence.js'
import { checkSize, type ConfigFile } from '../file.js'
import { settings } from '../settings.js'
import type { Start } from '../sources.js'
import { editText, type FileEdit } from './edit.js'

/** As the variable of the setting has it; null: the file does not set it. */
export type Wanted = ReadonlyMap<keyof Config, string | null>

export interface Plan {
  /** The file after the change; unset: it stays as it is. */
  file?: ConfigFile
  /** What holds after the change. */
  after: ReadSettings['settings']
  changes: PlannedSetting[]
}

const IDS: ReadonlyMap<string, keyof Config> = new Map(
  (Object.keys(settings) as (keyof Config)[]).map((id) => [fileKey(id), id]),
)

/**
 * Settings as a request names them.
 *
 * @throws GatewayError `field_unknown`, `config_invalid`
 */
export const wantedOf = (sent: Readonly<Record<string, SettingValue>>): Wanted =>
  new Map(
    Object.entries(sent).map(([key, value]) => {
      const id = IDS.get(key)
      const field = `settings.${key.slice(0, 64)}`
      if (id === undefined) throw new GatewayError('field_unknown', say('there is no such setting'), { field })
      return [id, value === null ? null : textOf(value, settings[id].separator, field)]
    }),
  )

function textOf(value: Exclude<SettingValue, null>, separator: string | undefined, field: string): string {
  if (!Array.isArray(value)) return String(value)
  const refuse = (message: Sentence): never => {
    throw new GatewayError('config_invalid', message, { field })
  }
  if (separator === undefined) return refuse(say('it must be a text, a number, true or false, got a list'))
  const wrong = value.find((item) => item === '' || item.includes(separator))
  if (wrong !== undefined)
    return refuse(say('it must be a list of texts without "{separator}", got "{given}"', { separator, given: wrong }))
  return value.join(separator)
}

/**
 * Plans a change. Settings that cannot change here stay as they are, and the plan says so.
 *
 * @throws GatewayError `config_invalid`
 */
export function planOf(start: Start, held: ReadSettings, wanted: Wanted): Plan {
  const all = held.settings.filter(({ id }) => wanted.has(id))
  const differing = all.flatMap((one): Differing[] => {
    const sent = wanted.get(one.id) ?? null
    const to = sent ?? one.fallback
    return to === one.value && !(sent === null && one.source === 'file') ? [] : [{ ...one, sent, to }]
  })
  for (const one of differing) check(one)
  const now = differing.filter((one) => appliesOf(one) === 'at_once')
  const left = differing.filter((one) => appliesOf(one) !== 'at_once' && one.to !== one.value)
  const file = held.file === undefined || now.length === 0 ? undefined : editedFile(held.file, now)
  const after = file === undefined ? held.settings : readAgain(start, file.text)
  const values = new Map(after.map(({ id, value }) => [id, value]))
  // Without a file there is nothing to read: the plan shows what the request wants.
  const changes = [...now, ...left].map((one) => planned(one, file === undefined ? one.to : values.get(one.id)))
  return { ...(file !== undefined && { file }), after, changes: changes.filter(({ from, to }) => from !== to) }
}

type Differing = ReadSettings['settings'][number] & { sent: string | null; to: string }

function check({ id, key, to }: Differing): void {
  try {
    settings[id].read(to, key)
  } catch (error) {
    throw new GatewayError('config_invalid', messageOf(error), { field: `settings.${key}` })
  }
}

const appliesOf = ({ live, source }: Differing): PlannedSetting['applies'] =>
  !live ? 'restart' : source === 'flag' || source === 'variable' ? 'overridden' : 'at_once'

function planned(one: Differing, value: string | undefined): PlannedSetting {
  const { key, secret } = one
  const applies = appliesOf(one)
  const shown = secret ? {} : { from: one.value, to: applies === 'at_once' ? (value ?? one.to) : one.to }
  const effect = effectOf(one, applies)
  return { field: key, ...shown, applies, effect: capitalized(english(effect)), ...saidOf(effect) }
}

function effectOf({ id, from = '', to }: Differing, applies: PlannedSetting['applies']): Sentence {
  const help = { message: settings[id].help }
  if (applies === 'restart') return say('{help}. Only a restart changes it, so it stays as it is.', { help })
  if (applies === 'overridden')
    return say('{help}. {from} sets it and wins over the file, so it stays as it is.', { help, from })
  const effect = say('{help}. It holds at once.', { help })
  const warning = WARNINGS[id]?.(to)
  return warning === undefined ? effect : say('{effect} {warning}', { effect, warning })
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** What somebody has to know before, by the value that they want. */
const WARNINGS: Readonly<Partial<Record<keyof Config, (to: string) => Sentence | undefined>>> = {
  readOnly: (to) =>
    to === 'true' ? say('This operation is then refused too: edit the file and reload to end it.') : undefined,
  environment: (to) => (to === 'production' ? undefined : say('Destructive calls then need no X-Confirm.')),
  trustedProxies: () => say('These machines can make this server believe any address and any name.'),
}

function editedFile({ path, text }: ConfigFile, differing: readonly Differing[]): ConfigFile {
  const edits = differing.map(({ id, key, sent }): FileEdit => [key, sent === null ? undefined : jsonOf(id, sent)])
  const file = { path, text: editText(text, edits) }
  asConfigInvalid(() => checkSize(file))
  return file
}

/** As a person would write it. */
function jsonOf(id: keyof Config, text: string): boolean | number | string | string[] {
  const { separator, read } = settings[id]
  const { kind } = read.form ?? {}
  if (kind === 'flag') return text === 'true'
  if (kind === 'integer' && /^\d+$/.test(text)) return Number(text)
  if (kind === 'list' && separator !== undefined)
    return text === '' ? [] : text.split(separator).map((item) => item.trim())
  return text
}

const readAgain = (start: Start, text: string): ReadSettings['settings'] =>
  asConfigInvalid(() => readSettings(start, text)).settings

function asConfigInvalid<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ConfigError) throw new GatewayError('config_invalid', messageOf(error))
    throw error
  }
}

const messageOf = (error: unknown): string | Sentence =>
  (error instanceof ConfigError ? error.said : undefined) ?? (error as Error).message

/** @throws GatewayError `setting_fixed`, `setting_overridden` if the plan has a setting that cannot change here */
export function requireChangeable({ changes }: Plan): void {
  for (const { field, applies, effect, said } of changes) {
    if (applies === 'at_once') continue
    const code = applies === 'restart' ? 'setting_fixed' : 'setting_overridden'
    throw new GatewayError(code, say('{field} cannot change here. {effect}', { field, effect: said ?? effect }), {
      field: `settings.${field}`,
    })
  }
}
