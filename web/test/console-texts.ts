import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import ts from 'typescript'

// The texts of the console, read from its code.

export interface ConsoleText {
  /** file and line */
  place: string
  /** the English message; undefined if it is no literal */
  message: string | undefined
  /** what the catalogues have it under */
  key: string | undefined
  /** names of its values; undefined if they are not written out there */
  values: ReadonlySet<string> | undefined
}

export interface Source {
  name: string
  file: ts.SourceFile
}

const src = fileURLToPath(new URL('../src/', import.meta.url))

export const sources: readonly Source[] = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({
    name,
    file: ts.createSourceFile(name, readFileSync(src + name, 'utf8'), ts.ScriptTarget.Latest, true),
  }))

export function placeOf({ name, file }: Source, node: ts.Node): string {
  return `${name}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`
}

/** Calls of `t`, `tIn` and `rich`, and the element `Say`. */
export function textsOf(source: Source): ConsoleText[] {
  if (source.name.startsWith('language/')) return []
  const found: ConsoleText[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && /^(t|rich)$/.test(node.expression.text)) {
      const [message, values] = node.arguments
      found.push(textOf(source, node, message, values))
    }
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'tIn') {
      const [context, message, values] = node.arguments
      const text = textOf(source, node, message, values)
      const within = literalOf(context)
      found.push({ ...text, key: within === undefined ? undefined : `${within} | ${text.message}` })
    }
    if (ts.isJsxSelfClosingElement(node) && node.tagName.getText(source.file) === 'Say') {
      const [message, values] = ['text', 'values'].map((name) => attributeOf(node, name))
      found.push(textOf(source, node, message, values))
    }
    ts.forEachChild(node, visit)
  }
  visit(source.file)
  return found
}

function textOf(source: Source, node: ts.Node, said?: ts.Expression, values?: ts.Expression): ConsoleText {
  const message = literalOf(said)
  return { place: placeOf(source, node), message, key: message, values: namesOf(values) }
}

function attributeOf(element: ts.JsxSelfClosingElement, name: string): ts.Expression | undefined {
  const found = element.attributes.properties.find((one) => ts.isJsxAttribute(one) && one.name.getText() === name)
  const value = found !== undefined && ts.isJsxAttribute(found) ? found.initializer : undefined
  return value !== undefined && ts.isJsxExpression(value) ? value.expression : value
}

export const literalOf = (node: ts.Expression | undefined): string | undefined =>
  node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined

export function namesOf(node: ts.Expression | undefined): Set<string> | undefined {
  if (node === undefined) return new Set()
  if (!ts.isObjectLiteralExpression(node)) return undefined
  const names = node.properties.map(({ name }) => name)
  return names.includes(undefined) ? undefined : new Set(names.map((name) => name?.getText() ?? ''))
}

/** The names of the values that a message has, and of its tags. */
export function partsOf(message: string): { values: Set<string>; tags: Set<string> } {
  const [values, tags] = [new Set<string>(), new Set<string>()]
  const visit = (element: MessageFormatElement): void => {
    if (element.type === TYPE.literal || element.type === TYPE.pound) return
    if (element.type === TYPE.tag) {
      tags.add(element.value)
      element.children.forEach(visit)
      return
    }
    values.add(element.value)
    if (element.type === TYPE.plural || element.type === TYPE.select)
      for (const option of Object.values(element.options)) option.value.forEach(visit)
  }
  parse(message).forEach(visit)
  return { values, tags }
}
