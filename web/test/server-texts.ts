import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { literalOf, namesOf, placeOf, type ConsoleText, type Source } from './console-texts'

// The sentences of the server that the console says in the language of its reader, read from the code of the server:
// calls of `say`, the macro `sentence!` of the core, and texts that are sentences without values.

const root = fileURLToPath(new URL('../../', import.meta.url))

const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => `${folder}/${name}`)

export const serverSources: readonly Source[] = filesIn('server/src', /\.ts$/).map((name) => ({
  name,
  file: ts.createSourceFile(name, readFileSync(root + name, 'utf8'), ts.ScriptTarget.Latest, true),
}))

/** Properties that hold sentences without values, by the files that have them. */
const CONSTANTS: readonly (readonly [files: RegExp, names: RegExp])[] = [
  [/config\/settings\.ts$/, /^help$/],
  [/alerts\/rules\/defaults\.ts$/, /^name$/],
  [/lab\/.*\.ts$/, /^(title|repeats|says|note|label)$/],
]

/** Files whose literals with a full stop at their end are such sentences. */
const DESCRIPTIONS = /alerts\/watch\/metrics\.ts$/

function textsOf(source: Source): ConsoleText[] {
  const found: ConsoleText[] = []
  const constants = CONSTANTS.filter(([files]) => files.test(source.name)).map(([, names]) => names)
  const add = (node: ts.Node, message: string | undefined, values?: ReadonlySet<string>): void => {
    found.push({ place: placeOf(source, node), message, key: message, values })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'say') {
      const [message, values] = node.arguments
      add(node, literalOf(message), namesOf(values))
    }
    if (ts.isPropertyAssignment(node) && constants.some((names) => names.test(node.name.getText(source.file)))) {
      const text = literalOf(node.initializer)
      if (text !== undefined) add(node, text, new Set())
    }
    if (DESCRIPTIONS.test(source.name) && ts.isStringLiteral(node) && node.text.endsWith('.')) add(node, node.text)
    ts.forEachChild(node, visit)
  }
  visit(source.file)
  return found
}

/** The macro, up to the end of its message. */
const MACRO = /\bsentence!\(\s*(?:"((?:[^"\\]|\\.)*)")?/g

/** The code of a file of Rust without comments and without its tests. */
export function codeOf(name: string): string {
  const [code = ''] = readFileSync(root + name, 'utf8').split('#[cfg(test)]\nmod tests {')
  return code.replace(/^\s*\/\/.*$/gm, '')
}

function macrosOf(name: string): ConsoleText[] {
  const code = codeOf(name)
  return [...code.matchAll(MACRO)].map((found) => {
    const message = found[1]?.replace(/\\(.)/g, '$1')
    const place = `${name}:${code.slice(0, found.index).split('\n').length}`
    return { place, message, key: message, values: valuesIn(code.slice(found.index + found[0].length)) }
  })
}

/** The names of the values that stand before the end of the macro: `, name = value` outside of further brackets. */
function valuesIn(code: string): Set<string> {
  const values = new Set<string>()
  let depth = 0
  for (const [token, name] of code.matchAll(/[([{]|[)\]}]|,\s*(\w+) = /g)) {
    if (name !== undefined && depth === 0) values.add(name)
    if ('([{'.includes(token)) depth += 1
    if (')]}'.includes(token)) depth -= 1
    if (depth < 0) break
  }
  return values
}

export const rustFiles: readonly string[] = filesIn('native/crates', /\/src\/.*\.rs$/)

export const serverTexts: readonly ConsoleText[] = [...serverSources.flatMap(textsOf), ...rustFiles.flatMap(macrosOf)]
