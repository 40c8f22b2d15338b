import { expect, test } from 'vitest'
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

/** The first circle that begins and ends at `start`, by the shortest way; modules in `done` are on none. */
function circleAt(start: string, done: ReadonlySet<string>): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const waiting = [start]
  for (const path of waiting) {
    for (const next of uses.get(path) ?? []) {
      if (next === start) return [...wayTo(path, cameFrom), start]
      if (done.has(next) || cameFrom.has(next)) continue
      cameFrom.set(next, path)
      waiting.push(next)
    }
  }
  return undefined
}

function wayTo(path: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const before = cameFrom.get(path)
  return before === undefined ? [path] : [...wayTo(before, cameFrom), path]
}

test('no circle between modules of TypeScript', () => {
  const done = new Set<string>()
  const circles: string[] = []
  for (const path of typescript) {
    const circle = circleAt(path, done)
    if (circle !== undefined) circles.push(circle.join(' → '))
    done.add(path)
  }
  expect(circles).toEqual([])
})

test('the circles are looked for among all modules', () => {
  const edges = [...uses.values()].reduce((sum, used) => sum + used.length, 0)
  expect(typescript.length).toBeGreaterThan(600)
  expect(edges).toBeGreaterThan(1500)
})
