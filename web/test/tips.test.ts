import { expect, test } from 'vitest'
import ts from 'typescript'
import { placeOf, sources, type Source } from './console-texts'

/** Elements and controls with a `title`. Cards, dialogs and pages have one that everybody sees. */
function titled(source: Source): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isJsxAttribute(node) && node.name.getText(source.file) === 'title') {
      const tag = node.parent.parent.tagName.getText(source.file)
      if (/^([a-z].*|Button|Link|TextField)$/.test(tag)) found.push(`${placeOf(source, node)}: ${tag}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source.file)
  return found
}

test('no element has words that only the pointer shows: they are in a Tip', () => {
  expect(sources.length).toBeGreaterThan(300)
  expect(sources.flatMap(titled)).toEqual([])
})
