// How the text of a setting is read. Each takes the name of the setting for its message, and throws a ConfigError.
import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import { isOwnPath } from './network/base-path.js'
import { isSafeIssuer } from './network/safe-issuer.js'
import { durationMs } from './requests/duration.js'
import { english, say, type Sentence } from './sentences/sentence.js'

/** A wrong setting. Its message is for the person at the terminal. */
export class ConfigError extends Error {
  readonly said: Sentence | undefined

  constructor(message: string | Sentence) {
    super(typeof message === 'string' ? message : english(message))
    this.said = typeof message === 'string' ? undefined : message
  }
}

/** What the text of a setting looks like, for who writes one. Durations are in ms, as text with their unit. */
export type Form =
  | { kind: 'text' | 'flag' | 'list' }
  | { kind: 'integer'; min: number; max: number; unit?: 'bytes' | 'days' | 'milliseconds' }
  | { kind: 'duration'; min: number; max: number }
  | { kind: 'choice'; words: readonly string[] }

/** @throws ConfigError naming the setting */
export interface Reader<T> {
  (text: string, name: string): T
  /** Unset: any text. */
  form?: Form
}

export const formed = <T>(form: Form, read: Reader<T>): Reader<T> =>
  Object.assign((text: string, name: string) => read(text, name), { form })

export function integer(min: number, max: number, unit?: 'bytes' | 'days' | 'milliseconds'): Reader<number> {
  return formed({ kind: 'integer', min, max, ...(unit !== undefined && { unit }) }, (text, name) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new ConfigError(
        say('{name} must be an integer from {min} to {max}, got "{text}"', { name, min, max, text }),
      )
    }
    return value
  })
}

/** `auto` leaves the choice to the engine. */
export function autoOr<T>(read: Reader<T>): Reader<T | undefined> {
  const { form = { kind: 'text' } } = read
  return formed(form, (text, name) => (text === 'auto' ? undefined : read(text, name)))
}

/** A duration of `min` to `max` ms; `most` is the largest in words. */
export function duration(max: number, most = '24h', min = 0): Reader<number> {
  return formed({ kind: 'duration', min, max }, (text, name) => {
    const value = durationMs(text)
    if (!/^\d+(ms|s|m|h)$/.test(text) || value > max || value < min) {
      throw new ConfigError(
        min === 0
          ? say('{name} must be a duration such as 30s or 10m, at most {most}, got "{text}"', { name, most, text })
          : say('{name} must be a duration such as 30s or 10m, at least {least} and at most {most}, got "{text}"', {
              name,
              least: `${min / 1000}s`,
              most,
              text,
            }),
      )
    }
    return value
  })
}

export function oneOf<const T extends string>(words: readonly T[]): Reader<T> {
  return formed({ kind: 'choice', words }, (text, name) => {
    const word = words.find((candidate) => candidate === text)
    if (word === undefined)
      throw new ConfigError(say('{name} must be one of {words}, got "{text}"', { name, words: words.join(', '), text }))
    return word
  })
}

const trueOrFalse = oneOf(['true', 'false'])

export const flag: Reader<boolean> = formed({ kind: 'flag' }, (text, name) => trueOrFalse(text, name) === 'true')

/** `what`: the words, for a message. */
export function listOf(pattern: RegExp, what: string): Reader<string[]> {
  return formed({ kind: 'list' }, (text, name) => {
    const items = text === '' ? [] : text.split(',').map((item) => item.trim())
    const wrong = items.find((item) => !pattern.test(item))
    if (wrong !== undefined)
      throw new ConfigError(say('{name} must be {what} separated by ",", got "{wrong}"', { name, what, wrong }))
    return items
  })
}

export function networks(items: string[], name: string): string[] {
  const wrong = items.find((item) => {
    const [address = '', bits, ...more] = item.split('/')
    const most = { 4: 32, 6: 128 }[isIP(address)] ?? -1
    return more.length > 0 || most < 0 || (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > most))
  })
  if (wrong === undefined) return items
  throw new ConfigError(say('{name} must be addresses or networks such as 10.0.0.0/8, got "{wrong}"', { name, wrong }))
}

/** Origins of pages as browsers send them: scheme, name, and the port unless it is the usual one. */
export function origins(text: string, name: string): string[] {
  const items = text === '' ? [] : text.split(',').map((item) => item.trim())
  const wrong = items.find(
    (item) => !/^https?:/.test(item) || !URL.canParse(item) || new URL(item).origin !== item || item.includes('*'),
  )
  if (wrong === undefined) return items
  throw new ConfigError(
    say('{name} must be origins such as https://app.example.com separated by ",", got "{given}"', {
      name,
      given: wrong,
    }),
  )
}

export function absolutePaths(text: string, name: string): string[] {
  const paths = text === '' ? [] : text.split(':')
  const wrong = paths.find((path) => !isAbsolute(path))
  if (wrong !== undefined) {
    throw new ConfigError(say('{name} must be absolute paths separated by ":", got "{given}"', { name, given: wrong }))
  }
  return paths
}

export function absolutePath(text: string, name: string): string | undefined {
  if (text !== '' && !isAbsolute(text)) {
    throw new ConfigError(say('{name} must be an absolute path, got "{given}"', { name, given: text }))
  }
  return text === '' ? undefined : text
}

/** A path such as `/tessera`, which a browser sends as it is. */
export function basePath(text: string, name: string): string {
  if (text === '') return ''
  const parts = text.split('/').slice(1)
  const isPath = text.startsWith('/') && text.length <= 200 && parts.every((part) => /^[\w~-][\w.~-]*$/.test(part))
  if (!isPath)
    throw new ConfigError(
      say(
        '{name} must be a path such as /tessera, of letters, digits, "-", "_", "." and "~", without "/" at its end, got "{given}"',
        { name, given: text },
      ),
    )
  if (isOwnPath(text))
    throw new ConfigError(
      say('{name} must not begin with a path of the server itself, got "{given}"', { name, given: text }),
    )
  return text
}

/** `''` is unset. */
export function optional<T>(read: (text: string, name: string) => T) {
  return (text: string, name: string): T | undefined => (text === '' ? undefined : read(text, name))
}

/** A text of visible ASCII characters, and blanks if they are allowed. */
export function visible(blanks = false) {
  return (text: string, name: string): string => {
    if (blanks ? /^[\x20-\x7e]{1,1024}$/.test(text) : /^[\x21-\x7e]{1,1024}$/.test(text)) return text
    throw new ConfigError(
      say('{name} must have 1 to 1024 visible ASCII characters, got "{given}"', { name, given: text }),
    )
  }
}

export function issuer(text: string, name: string): string {
  // What stands before an @ may be a password, so the message does not repeat it.
  if (text.includes('@')) throw new ConfigError(say('{name} must not have a user or a password', { name }))
  if (isSafeIssuer(text) && !/[?#]/.test(text)) return text
  throw new ConfigError(
    say('{name} must be an https address, or http on this machine, got "{given}"', { name, given: text }),
  )
}

/** The address of a collector. Credentials belong into its headers. */
export function collector(text: string, name: string): string {
  // What stands before an @ may be a password, so the message does not repeat it.
  if (text.includes('@')) throw new ConfigError(say('{name} must not have a user or a password', { name }))
  if (URL.canParse(text) && /^https?:\/\/[^/]/.test(text) && !/[?#]/.test(text)) return text
  throw new ConfigError(
    say('{name} must be an address such as http://127.0.0.1:4318, got "{given}"', { name, given: text }),
  )
}

export function share(text: string, name: string): number {
  if (/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(text)) return Number(text)
  throw new ConfigError(say('{name} must be a number from 0 to 1, got "{given}"', { name, given: text }))
}

export function scopes(text: string, name: string): string {
  if (visible(true)(text, name).split(' ').includes('openid')) return text
  throw new ConfigError(say('{name} must contain openid, got "{given}"', { name, given: text }))
}

export function nonEmpty(text: string, name: string): string {
  if (text === '') throw new ConfigError(say('{name} must not be empty', { name }))
  return text
}
