// The configuration file: one object of JSON, with comments. Each key is a setting.
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { ConfigError } from '../config-values.js'
import { readSettingFile } from '../files/setting-file.js'
import { say } from '../sentences/sentence.js'

const BYTES_MAX = 64 * 1024
/** Longest part of a text at fault that a message shows. */
const SHOWN_MAX = 80

/** What the file may set. */
export interface FileSetting {
  /** Its values may be a list; in a variable, this text separates them. */
  separator?: ',' | ':'
}

export interface FileValue {
  /** As the setting's variable would have it. */
  text: string
  /** File and line, for messages. */
  place: string
}

/** A configuration file as it was read. */
export interface ConfigFile {
  path: string
  /** All of it, comments too. */
  text: string
}

/** @throws ConfigError if it cannot be read, or is too large */
export const readConfigFile = (path: string): ConfigFile => ({
  path,
  text: readSettingFile(path, BYTES_MAX).toString('utf8'),
})

/** @throws ConfigError if a text is too large for a configuration file */
export function checkSize({ path, text }: ConfigFile): void {
  const bytes = Buffer.byteLength(text)
  if (bytes > BYTES_MAX)
    throw new ConfigError(say('{path} would have {bytes} bytes; it may have {most}', { path, bytes, most: BYTES_MAX }))
}

/**
 * The settings of a file, by key.
 *
 * @throws ConfigError with the file and the line of what is wrong
 */
export function settingsIn(
  { path, text }: ConfigFile,
  known: ReadonlyMap<string, FileSetting>,
): Map<string, FileValue> {
  const source = text.replace(/^\uFEFF/, '')
  const placeOf = (offset: number): string => `${path}:${source.slice(0, offset).split('\n').length}`
  const values = new Map<string, FileValue>()
  const unknown: string[] = []
  for (const property of propertiesOf(source, path, placeOf)) {
    const [name, value] = property.children ?? []
    const place = placeOf(property.offset)
    const key = String(name?.value)
    const setting = known.get(key)
    const before = values.get(key)
    if (setting === undefined || value === undefined) unknown.push(`${place}: unknown setting ${shown(key)}`)
    else if (before !== undefined)
      throw new ConfigError(say('{place}: {key} is set already at {before}', { place, key, before: before.place }))
    else values.set(key, { text: textOf(value, setting, source, `${place}: ${key}`), place })
  }
  if (unknown.length > 0) throw new ConfigError(`${unknown.join('\n')}\n--print-config lists all settings`)
  return values
}

function propertiesOf(source: string, path: string, placeOf: (offset: number) => string): Node[] {
  const errors: ParseError[] = []
  const root = treeOf(source, path, errors)
  const [first] = errors
  if (first !== undefined) throw new ConfigError(`${placeOf(first.offset)}: ${plain(printParseErrorCode(first.error))}`)
  if (root?.type !== 'object')
    throw new ConfigError(
      say('{place}: the file must be one JSON object, such as {example}', { place: placeOf(0), example: '{}' }),
    )
  return root.children ?? []
}

function treeOf(source: string, path: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(source, errors, { allowTrailingComma: true, allowEmptyContent: true })
  } catch {
    throw new ConfigError(say('{path}: it has too many brackets within each other', { path }))
  }
}

/** `name`: the setting and its place, for messages. */
function textOf(value: Node, { separator }: FileSetting, source: string, name: string): string {
  if (value.type === 'string') return String(value.value)
  // As it is written: a number of JavaScript may be another one.
  if (value.type === 'number' || value.type === 'boolean')
    return source.slice(value.offset, value.offset + value.length)
  if (value.type !== 'array' || separator === undefined) {
    const wanted = separator === undefined ? say('a text, a number, true or false') : say('a text or a list of texts')
    throw new ConfigError(say('{name} must be {wanted}, got {given}', { name, wanted, given: value.type }))
  }
  const items = (value.children ?? []).map((item) => {
    const text = item.type === 'string' ? String(item.value) : undefined
    if (text === undefined || text === '' || text.includes(separator))
      throw new ConfigError(
        say('{name} must be a list of texts without "{separator}", got {given}', {
          name,
          separator,
          given: shown(item.value),
        }),
      )
    return text
  })
  return items.join(separator)
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? typeof value).slice(0, SHOWN_MAX)

/** `CommaExpected` as `comma expected`. */
const plain = (code: string): string =>
  code.replaceAll(/(?!^)([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase()
