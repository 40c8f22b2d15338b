// Rust as text: what remains of a source without comments, strings and tests, and the items that its `use` lines bring.

/** A name that a `use` binds in its module, with the path it stands for. */
export interface Binding {
  readonly name: string
  readonly path: readonly string[]
}

const quiet =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|\bb?r(#*)"[\s\S]*?"\1|\bb?"(?:[^"\\]|\\[\s\S])*"|"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\[^\n]{1,9}?)'/g

/** The text without comments, texts and characters. A text of one word stays: it may be the feature of a `cfg`. */
function withoutTexts(source: string): string {
  return source.replace(quiet, (found) => (/^"[\w-]+"$/.test(found) ? found : ' '))
}

const onlyForTests = /#\[cfg\((?:any\(test, )?(?:test|feature = "(?:fuzzing|test-support)")\)+\]/
const opening = /^\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?(\w*)/

/** Where the item that begins at `from` ends: behind its `;` or its last brace, a field or an arm behind its comma. */
function endOfItem(text: string, from: number): number {
  const word = opening.exec(text.slice(from))?.[1] ?? ''
  const statement = word === 'use' || word === 'let'
  const field = !/^(?:fn|struct|enum|impl|trait|mod|const|static|type|unsafe|extern|async|macro_rules|use|let)$/.test(
    word,
  )
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at] ?? ''
    if ('([{'.includes(sign)) depth += 1
    if (')]}'.includes(sign)) depth -= 1
    if (depth < 0) return at
    if (depth > 0) continue
    if (sign === ';' || (sign === '}' && !statement) || (sign === ',' && field)) return at + 1
  }
  return text.length
}

/** What a build of the product takes from a source; the modules that only tests or fuzzing have are not declared in it. */
export function product(source: string): string {
  let text = withoutTexts(source)
  for (let mark = onlyForTests.exec(text); mark !== null; mark = onlyForTests.exec(text)) {
    const end = endOfItem(text, mark.index + mark[0].length)
    text = text.slice(0, mark.index) + text.slice(end)
  }
  return text.replace(/\bpub\((?:in [\w:]+|\w+)\)/g, 'pub')
}

/** Modules that have a file of their own. */
export function declared(text: string): string[] {
  return [...text.matchAll(/\bmod (\w+)\s*;/g)].map(([, name]) => name ?? '')
}

/** The parts of a list in braces; those of inner braces stay together. */
function parts(list: string): string[] {
  let depth = 0
  const found = ['']
  for (const sign of list) {
    if (sign === '{') depth += 1
    if (sign === '}') depth -= 1
    if (sign === ',' && depth === 0) found.push('')
    else found.push((found.pop() ?? '') + sign)
  }
  return found.map((part) => part.trim()).filter((part) => part !== '')
}

/** `a::{self, b::C as D}` as its paths: `a` under the name `a`, `a::b::C` under `D`. */
function tree(text: string, before: readonly string[]): Binding[] {
  const brace = text.indexOf('{')
  if (brace !== -1) {
    const path = [
      ...before,
      ...text
        .slice(0, brace)
        .split('::')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    ]
    return parts(text.slice(brace + 1, text.lastIndexOf('}'))).flatMap((part) => tree(part, path))
  }
  const [written = '', name] = text.split(/\s+as\s+/)
  const steps = written.split('::').map((part) => part.trim())
  const path = [...before, ...(before.length > 0 && steps[0] === 'self' ? [] : steps)]
  return [{ name: name?.trim() ?? path.at(-1) ?? '', path }]
}

/** What the `use` lines of a product text bind, those inside functions included. */
export function uses(text: string): Binding[] {
  return [...text.matchAll(/\buse\s+([^;]+);/g)].flatMap(([, body]) => tree(body ?? '', []))
}

/** Paths in the code beside the `use` lines. */
export function paths(text: string): string[][] {
  const code = text.replace(/\buse\s+[^;]+;/g, '')
  return [...code.matchAll(/(?<![\w:])[A-Za-z_]\w*(?:::\w+)+/g)].map(([path]) => path.split('::'))
}
