import { expect, test } from 'vitest'
import { imports, typescript } from './imports.ts'
import { isTest } from './tree.ts'

// The arrows of docs/architecture.md. What is not listed here does not exist.

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

test('web talks to the server only over HTTP, with the client that others use', () => {
  expect(crossings(under('web/'), /^(server|native|e2e)\/|^@tessera\/(?!client$)/)).toEqual([])
})

test('the client imports nothing of ours', () => {
  expect(crossings(under('server/clients/'), /^(server\/(?!clients\/)|web|e2e|native)|^@tessera\//)).toEqual([])
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
  expect(crossings(low, /^server\/src\/(routes|hooks|bodies|answers|pages|openapi|app\.|server\.|live)/)).toEqual([])
})

test('the native package imports nothing of ours', () => {
  expect(crossings(under('native/'), /^(server|web|e2e)\/|^@tessera\/(server|web|e2e)/)).toEqual([])
})

test('the goals drive a running server and import none of its sources', () => {
  expect(crossings(under('e2e/goals/', 'e2e/gateway/'), /^(server\/src|web|native)\/|^@tessera\//)).toEqual([])
})
