import { t } from '../language/text'

// JSON as text: where it is wrong, how it is laid out, what it holds. Nothing is parsed into values, so numbers keep
// their digits, and a text of megabytes takes milliseconds.

/** Where a text stops being JSON. */
export interface Fault {
  /** offset in the text, in UTF-16 units */
  at: number
  message: string
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORDS = ['true', 'false', 'null']
const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_LIST = 91
const BACKSLASH = 92
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** The first fault of a text; undefined if it is JSON, in which no object has a name twice. */
export function faultOf(text: string): Fault | undefined {
  /** the open objects, with their names so far, and lists, innermost last */
  const open: (Set<string> | undefined)[] = []
  let at = skipSpace(text, 0)
  const name = (names: Set<string>): Fault | undefined => {
    if (text.charCodeAt(at) !== QUOTE) return wrong(text, at, t('a name in double quotes'))
    const end = endOfString(text, at)
    if (typeof end === 'object') return end
    const own = text.slice(at + 1, end - 1)
    if (names.has(own)) return { at, message: t('The name "{own}" is here twice', { own }) }
    names.add(own)
    at = skipSpace(text, end)
    if (text[at] !== ':') return wrong(text, at, t('a colon after the name'))
    at = skipSpace(text, at + 1)
    return undefined
  }
  for (;;) {
    const first = text[at]
    if (first === '{' || first === '[') {
      const names = first === '{' ? new Set<string>() : undefined
      at = skipSpace(text, at + 1)
      if (text[at] !== closing(names)) {
        open.push(names)
        const fault = names && name(names)
        if (fault !== undefined) return fault
        continue
      }
      at += 1
    } else {
      const end = endOfPlain(text, at)
      if (typeof end === 'object') return end
      at = end
    }
    // A value ended: so may what it is in.
    for (;;) {
      at = skipSpace(text, at)
      if (open.length === 0) return at === text.length ? undefined : wrong(text, at, t('the end'))
      const names = open.at(-1)
      if (text[at] === ',') {
        at = skipSpace(text, at + 1)
        const fault = names && name(names)
        if (fault !== undefined) return fault
        break
      }
      if (text[at] !== closing(names)) return wrong(text, at, t('a comma or {names}', { names: closing(names) }))
      at += 1
      open.pop()
    }
  }
}

const closing = (names: Set<string> | undefined): string => (names === undefined ? ']' : '}')

function wrong(text: string, at: number, wanted: string): Fault {
  if (at >= text.length) return { at: text.length, message: t('Expected {wanted}, but the text ends', { wanted }) }
  return {
    at,
    message: t('Expected {wanted}, got {at}', { wanted, at: String.fromCodePoint(text.codePointAt(at) ?? 0) }),
  }
}

/** The offset of what is no white space, from `from` on. */
export function skipSpace(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at
    at += 1
  }
}

/** The offset after the string that begins at `from`. */
function endOfString(text: string, from: number): number | Fault {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code < 32)
      return { at, message: t('A line break or control character in a string is written with a backslash') }
    if (code !== BACKSLASH) continue
    at += 1
    const escaped = text[at] ?? ''
    if (escaped === 'u' && /^[\da-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) at += 4
    else if (escaped === '' || !'"\\/bfnrt'.includes(escaped))
      return { at: at - 1, message: t('After a backslash comes one of " \\ / b f n r t, or u and four hex digits') }
  }
  return { at: from, message: t('This string has no closing quote') }
}

/** The offset after a string, number or word. */
function endOfPlain(text: string, at: number): number | Fault {
  if (text.charCodeAt(at) === QUOTE) return endOfString(text, at)
  NUMBER.lastIndex = at
  const number = NUMBER.exec(text)
  if (number !== null) return at + number[0].length
  const word = WORDS.find((known) => text.startsWith(known, at))
  return word === undefined ? wrong(text, at, 'a value') : at + word.length
}

/** Line and column of an offset, both from 1. */
export function placeOf(text: string, at: number): { line: number; column: number } {
  let line = 1
  let start = 0
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', start)) {
    line += 1
    start = next + 1
  }
  return { line, column: at - start + 1 }
}

/** A fault with its place, for people. */
export function faultWords(text: string, { at, message }: Fault): string {
  const { line, column } = placeOf(text, at)
  return t('Line {line}, column {column}: {message}', { line, column, message })
}

/** The offset after the token of valid JSON at `at`: a bracket, comma, colon, string, number or word. */
export function endOfToken(text: string, at: number): number {
  switch (text.charCodeAt(at)) {
    case OPEN_OBJECT:
    case CLOSE_OBJECT:
    case OPEN_LIST:
    case CLOSE_LIST:
    case COMMA:
    case COLON:
      return at + 1
    default:
      return endOfValid(text, at)
  }
}

/**
 * Lays valid JSON out anew: members in lines of their own, indented by `indent` spaces each level; 0: one line without
 * spaces. A piece of JSON may begin at a `level`.
 */
export function laidOut(text: string, indent: number, level = 0): string {
  const lines: string[] = []
  const line = (): string => (lines[level] ??= `\n${' '.repeat(indent * level)}`)
  const out: string[] = []
  // What stays as it is is copied in runs, because there are many more tokens than runs.
  let run = skipSpace(text, 0)
  let end = run
  /** Ends the run, and begins the next one at `from`. */
  const put = (between: string, from: number): void => {
    if (end > run) out.push(text.slice(run, end))
    out.push(between)
    run = from
  }
  let opened = false
  for (let from = run; from < text.length; from = skipSpace(text, end)) {
    const first = text.charCodeAt(from)
    const closes = first === CLOSE_OBJECT || first === CLOSE_LIST
    if (closes) level -= 1
    // Nothing stands between the brackets of what is empty.
    if (indent > 0 && opened !== closes) put(line(), from)
    else if (from > end) put('', from)
    opened = first === OPEN_OBJECT || first === OPEN_LIST
    if (opened) level += 1
    end = endOfToken(text, from)
    if (indent === 0) continue
    if (first === COMMA) put(line(), end)
    else if (first === COLON) put(' ', end)
  }
  put('', end)
  return out.join('')
}

/** The members of valid JSON that is an object, each with its value as text; undefined if it is none. */
export function membersOf(text: string): [name: string, value: string][] | undefined {
  const members: [string, string][] = []
  let at = skipSpace(text, 0)
  if (text[at] !== '{') return undefined
  at = skipSpace(text, at + 1)
  while (text[at] !== '}') {
    const nameEnd = endOfValid(text, at)
    const name = JSON.parse(text.slice(at, nameEnd)) as string
    const from = skipSpace(text, skipSpace(text, nameEnd) + 1)
    const end = endOfValue(text, from)
    members.push([name, text.slice(from, end)])
    at = skipSpace(text, end)
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return members
}

/** The offset after a value of valid JSON. */
function endOfValue(text: string, from: number): number {
  let level = 0
  let at = from
  for (;;) {
    const first = text.charCodeAt(at)
    if (first === OPEN_OBJECT || first === OPEN_LIST) level += 1
    else if (first === CLOSE_OBJECT || first === CLOSE_LIST) level -= 1
    at = endOfToken(text, at)
    if (level === 0) return at
    at = skipSpace(text, at)
  }
}

/** The offset after a string, number or word of valid JSON. */
function endOfValid(text: string, at: number): number {
  if (text.charCodeAt(at) === QUOTE) return endOfValidString(text, at)
  let end = at
  while (isInside(text.charCodeAt(end))) end += 1
  if (end === at) throw new SyntaxError(wrong(text, at, 'a value').message)
  return end
}

function endOfValidString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) at += 1
  }
  throw new SyntaxError(wrong(text, text.length, 'a value').message)
}

/** Whether a number or a word goes on with this character; there is none after the end. */
const isInside = (code: number): boolean =>
  code > 32 && code !== COMMA && code !== COLON && code !== CLOSE_LIST && code !== CLOSE_OBJECT
