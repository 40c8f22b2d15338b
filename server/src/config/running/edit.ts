// Changes settings in the text of a configuration file. Whatever else is in it stays as it is: comments, order, blanks.
import { applyEdits, type Edit, type Node, parseTree, visit } from 'jsonc-parser'

/** A value of JSON; undefined: the file has the setting no more. */
export type FileEdit = readonly [key: string, value: boolean | number | string | string[] | undefined]

const INDENT = '  '
const PARSED = { allowTrailingComma: true } as const

/** `text` is a file that was read without a fault. */
export const editText = (text: string, edits: readonly FileEdit[]): string =>
  edits.reduce((now, [key, value]) => {
    // A mark of the order of bytes is no JSON, and stays.
    const [mark, json] = now.startsWith('\uFEFF') ? ['\uFEFF', now.slice(1)] : ['', now]
    const root = parseTree(json, [], PARSED)
    return root === undefined ? now : mark + applyEdits(json, editsOf(json, root, key, value))
  }, text)

function editsOf(text: string, root: Node, key: string, value: FileEdit[1]): Edit[] {
  const found = root.children?.find(({ children }) => children?.[0]?.value === key)
  if (value === undefined) return found === undefined ? [] : removal(text, found)
  const [, old] = found?.children ?? []
  if (old === undefined) return addition(text, root, `${JSON.stringify(key)}: ${jsonOf(value)}`)
  return [{ offset: old.offset, length: old.length, content: jsonOf(value) }]
}

const jsonOf = (value: Exclude<FileEdit[1], undefined>): string =>
  Array.isArray(value) ? `[${value.map((item) => JSON.stringify(item)).join(', ')}]` : JSON.stringify(value)

/** With the comma behind it. A comma before it may stay: the last item may have one. Comments stay. */
function removal(text: string, { offset, length }: Node): Edit[] {
  const behind = offset + length
  const comma = marksFrom(text, behind).find(({ isComma }) => isComma)?.offset
  const end = comma === undefined ? behind : comma + 1
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const [restOfLine = ''] = /^[ \t]*(\r?\n|$)/.exec(text.slice(end)) ?? []
  const isAlone =
    lineStart > 0 &&
    restOfLine !== '' &&
    text.slice(lineStart, offset).trim() === '' &&
    ['', ','].includes(text.slice(behind, end).trim())
  if (isAlone) return [{ offset: lineStart, length: end + restOfLine.length - lineStart, content: '' }]
  const cut: Edit = { offset, length, content: '' }
  return comma === undefined ? [cut] : [cut, { offset: comma, length: 1, content: '' }]
}

/** On a line of its own, behind the last item and all comments. */
function addition(text: string, root: Node, item: string): Edit[] {
  const end = root.offset + root.length - 1
  const last = root.children?.at(-1)
  const from = last === undefined ? root.offset + 1 : last.offset + last.length
  const behind = marksFrom(text, from).filter(({ offset }) => offset < end)
  const hasComma = behind.some(({ isComma }) => isComma)
  const place = behind.reduce((at, { offset, length }) => Math.max(at, offset + length), from)
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const rest = text.slice(place, end)
  const content = `${eol}${INDENT}${item}${hasComma ? ',' : ''}${rest.includes('\n') ? '' : eol}`
  const comma: Edit[] = last === undefined || hasComma ? [] : [{ offset: from, length: 0, content: ',' }]
  // At the same place the comma comes first.
  return comma.length > 0 && place === from
    ? [{ offset: place, length: 0, content: `,${content}` }]
    : [...comma, { offset: place, length: 0, content }]
}

interface Mark {
  offset: number
  length: number
  isComma: boolean
}

/** Commas and comments from a place on. */
function marksFrom(text: string, from: number): Mark[] {
  const marks: Mark[] = []
  const add = (offset: number, length: number, isComma: boolean): void => {
    if (offset >= from) marks.push({ offset, length, isComma })
  }
  visit(
    text,
    {
      onSeparator: (character, offset) => add(offset, 1, character === ','),
      onComment: (offset, length) => add(offset, length, false),
    },
    PARSED,
  )
  return marks
}
