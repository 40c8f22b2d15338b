import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { files, isTest, read } from './tree.ts'

// The arrows of docs/architecture.md. What is not listed here does not exist.

const typescript = files.filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !path.includes('/generated/'))

/** What a file imports, as written, with relative specifiers resolved to paths from the root. */
function imports(path: string): string[] {
  const specifiers = [...read(path).matchAll(/(?:^|[\s;])(?:import|export)\s(?:[^'";]*?\sfrom\s)?['"]([^'"]+)['"]/g)]
  const dynamic = [...read(path).matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)]
  return [...specifiers, ...dynamic]
    .map(([, name]) => name ?? '')
    .map((name) => (name.startsWith('.') ? normalize(join(dirname(path), name)) : name))
}

/** Imports of files under `from` that match `forbidden`. */
function crossings(from: (path: string) => boolean, forbidden: RegExp): string[] {
  return typescript
    .filter((path) => from(path))
    .flatMap((path) => imports(path).flatMap((name) => (forbidden.test(name) ? [`${path} → ${name}`] : [])))
}

const under =
  (...folders: string[]) =>
  (path: string): boolean =>
    folders.some((folder) => path.startsWith(folder))

test('web talks to the server only over HTTP', () => {
  expect(crossings(under('web/'), /^(server|native|e2e)\/|^@tessera\//)).toEqual([])
})

test('the server imports neither the console nor the tests', () => {
  expect(crossings(under('server/'), /^(web|e2e)\/|^@tessera\/(web|e2e)/)).toEqual([])
})

test('only the native engine of the server names the native module', () => {
  const product = (path: string): boolean => path.startsWith('server/src/') && !isTest(path)
  const others = (path: string): boolean => product(path) && !path.startsWith('server/src/engines/')
  expect(crossings(others, /^@tessera\/native|^native\/|\.node$/)).toEqual([])
})

test('routes reach the engine through the application only', () => {
  const routes = under('server/src/routes/')
  expect(crossings(routes, /^server\/src\/(engines\/(?!engine\.)|server\.|app\.)/)).toEqual([])
})

test('schemas and errors know no route and no engine', () => {
  const low = under('server/src/schemas/', 'server/src/errors')
  expect(crossings(low, /^server\/src\/(routes|plugins|app\.|server\.|live)/)).toEqual([])
})

test('the native package imports nothing of ours', () => {
  expect(crossings(under('native/'), /^(server|web|e2e)\/|^@tessera\/(server|web|e2e)/)).toEqual([])
})

test('the goals drive a running server and import none of its sources', () => {
  expect(crossings(under('e2e/goals/', 'e2e/gateway/'), /^(server\/src|web|native)\/|^@tessera\//)).toEqual([])
})
