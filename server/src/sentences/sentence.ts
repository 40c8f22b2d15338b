// Sentences for people that can be said in other languages: an English message, and its values.
import { type Amount, amountText } from './amount.js'

/** A point in time, as RFC 3339. The reader sees it in their own way. */
export interface Moment {
  time: string
}

export type SentenceValue = string | number | Amount | Moment | Sentence

/**
 * The message is in the ICU message format, and the key of its translations. Of the format it has `{name}`, `{name,
 * number}` and `{name, plural, one {…} other {…}}` with `#`, and no quotes.
 */
export interface Sentence {
  readonly message: string
  readonly values?: Readonly<Record<string, SentenceValue>>
}

/**
 * A sentence: `say('there is no saved query {id}', { id })`. The message has to be a literal, because a test of the
 * console reads all of them from the code, and compares them with the catalogues.
 */
export const say = (message: string, values?: Sentence['values']): Sentence =>
  values === undefined ? { message } : { message, values }

/** A sentence as an answer has it: in English, and what that was made of if it has values. */
export const toldIn = (sentence: Sentence): { text: string; said?: Sentence } => ({
  text: english(sentence),
  ...saidOf(sentence),
})

/** What stands beside the English sentence of an answer. Without values the sentence is its own message. */
export const saidOf = (sentence: Sentence | undefined): { said?: Sentence } =>
  sentence?.values === undefined ? {} : { said: sentence }

export const english = ({ message, values = {} }: Sentence): string => part(message, values)

function part(text: string, values: NonNullable<Sentence['values']>, count?: number): string {
  const said: string[] = []
  let rest = text
  for (let at = rest.search(/[{#]/); at >= 0; at = rest.search(/[{#]/)) {
    said.push(rest.slice(0, at))
    if (rest[at] === '#') {
      said.push(count === undefined ? '#' : grouped(count))
      rest = rest.slice(at + 1)
      continue
    }
    const end = endOf(rest, at)
    said.push(argument(rest.slice(at + 1, end), values))
    rest = rest.slice(end + 1)
  }
  return said.join('') + rest
}

function argument(text: string, values: NonNullable<Sentence['values']>): string {
  const [name = '', form, ...options] = text.split(',')
  const value = values[name]
  if (value === undefined) return `{${text}}`
  if (typeof value === 'string') return value
  if (typeof value === 'object') return objectText(value)
  if (form?.trim() !== 'plural') return form === undefined ? String(value) : grouped(value)
  return part(optionOf(options.join(','), value === 1 ? 'one' : 'other'), values, value)
}

function objectText(value: Amount | Moment | Sentence): string {
  if ('amount' in value) return amountText(value)
  return 'time' in value ? value.time : english(value)
}

function optionOf(options: string, wanted: string): string {
  let rest = options
  for (let at = rest.indexOf('{'); at >= 0; at = rest.indexOf('{')) {
    const [name, end] = [rest.slice(0, at).trim(), endOf(rest, at)]
    if (name === wanted) return rest.slice(at + 1, end)
    rest = rest.slice(end + 1)
  }
  return ''
}

/** Where the brace at this place ends. */
function endOf(text: string, begin: number): number {
  let depth = 0
  for (let at = begin; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1
    if (text[at] === '}') depth -= 1
    if (depth === 0) return at
  }
  return text.length
}

const grouped = (value: number): string => value.toLocaleString('en-US')
