import { IntlMessageFormat } from 'intl-messageformat'
import { catalogue, known } from './catalogue'
import { chosen, language } from './chosen'
import { isPseudo } from './languages'
import { pseudo } from './pseudo'

/** Values of a message by their names. */
export type Values = Readonly<Record<string, string | number>>

/** A part of a message in tags, as it is shown. */
export type Tag<Shown> = (parts: (string | Shown)[]) => Shown

// Every browser knows our locales. To look them up among all of its own takes a slow processor 0.1 s.
IntlMessageFormat.resolveLocale = (locales) =>
  new Intl.Locale(typeof locales === 'string' ? locales : (locales[0] ?? 'en'))

// There are as many as texts in the code, and in that of the server.
const formats = new Map<string, IntlMessageFormat>()

/**
 * A text in the language of the reader. `message` is the English text in the ICU message format, and the key of its
 * translations: `t('Drop {name}', { name })`, `t('{n, plural, one {# record} other {# records}}', { n })`. It has to be
 * a literal: a test reads all of them from the code, and compares them with the catalogues. Whole sentences only, since
 * other languages order their words otherwise.
 */
export function t(message: string, values?: Values): string {
  return said(message, message, values)
}

/**
 * As `t`, for words that other languages say differently by their place: `tIn('phase of a benchmark', 'Load')`. The
 * catalogues have them with their context: `phase of a benchmark | Load`.
 */
export function tIn(context: string, message: string, values?: Values): string {
  return said(`${context} | ${message}`, message, values)
}

/** Whether the catalogue has a message that does not stand in the code of the console: the server sent it. */
export const isKnown = (message: string): boolean => Object.hasOwn(known, message)

/** As `t`, for such a message. */
export const sayAny = (message: string, values: Values): string => said(message, message, values)

function said(key: string, message: string, values?: Values): string {
  if (isPlain(message)) return catalogue[key] ?? message
  return filled(partsOf(message, key), values) ?? String(formatOf(message, key).format(values))
}

/** As `t`, with tags: `rich('Type <code>{name}</code>', { name, code })`. Returns the parts in order. */
export function rich<Shown>(
  message: string,
  values: Readonly<Record<string, string | number | Shown | Tag<Shown>>>,
): (string | Shown)[] {
  const parts = formatOf(message).format<Shown>(values as never)
  return Array.isArray(parts) ? parts : [parts as string | Shown]
}

/** Texts and, in turn with them, the names of values; unset for a message that needs a parser. */
type Parts = readonly string[] | undefined

const partsByKey = new Map<string, Parts>()

/** Most messages with values have nothing but their names. A slow processor takes milliseconds to parse one. */
function partsOf(message: string, key: string): Parts {
  if (isPseudo(chosen)) return undefined
  if (!partsByKey.has(key)) {
    const text = catalogue[key] ?? message
    partsByKey.set(key, /^(?:[^{}<']|\{\w+\})*$/.test(text) ? text.split(/\{(\w+)\}/) : undefined)
  }
  return partsByKey.get(key)
}

/** Undefined if a value is missing: the format says which one. */
function filled(of: Parts, values: Values = {}): string | undefined {
  let text = ''
  for (const [index, part] of (of ?? []).entries()) {
    const value = index % 2 === 0 ? part : values[part]
    if (value === undefined) return undefined
    text += String(value)
  }
  return of && text
}

// Most texts are, and need no parser.
const isPlain = (message: string): boolean => !isPseudo(chosen) && !/[{<']/.test(message)

function formatOf(message: string, key = message): IntlMessageFormat {
  const known = formats.get(key)
  if (known !== undefined) return known
  const own = new IntlMessageFormat(catalogue[key] ?? message, language.locale)
  const format = isPseudo(chosen) ? new IntlMessageFormat(pseudo(own.getAst()), language.locale) : own
  formats.set(key, format)
  return format
}
