import { expect, test } from 'vitest'
import { circles } from './circle.ts'
import { imports, typescript } from './imports.ts'

// No module uses another that uses it, directly or around several corners, not even for its types: who reads one of them
// would have to read all.

const known = new Set(typescript)

/** The file that a resolved specifier names: `a.js` may be `a.ts`. */
function fileOf(name: string): string | undefined {
  const stem = name.replace(/\.(js|jsx)$/, '')
  return [name, `${stem}.ts`, `${stem}.tsx`, `${stem}/index.ts`].find((path) => known.has(path))
}

const uses = new Map(
  typescript.map((path) => [path, [...new Set(imports(path))].flatMap((name) => fileOf(name) ?? [])]),
)

test('no circle between modules of TypeScript', () => {
  expect(circles(uses).map((circle) => circle.join(' → '))).toEqual([])
})

test('the circles are looked for among all modules', () => {
  const edges = [...uses.values()].reduce((sum, used) => sum + used.length, 0)
  expect(typescript.length).toBeGreaterThan(600)
  expect(edges).toBeGreaterThan(1500)
})
