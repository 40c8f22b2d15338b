import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Every file that belongs to the tree: tracked, or new and not ignored. Paths are relative to the root. */
export const files: string[] = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

export const isSource = (path: string): boolean => /\.(rs|ts|tsx|mjs|css|sh)$/.test(path)

/** Tests by folder or by name. */
export const isTest = (path: string): boolean =>
  /(^|\/)(tests?|e2e|benches|fuzz)\//.test(path) || /\.test\.tsx?$/.test(path) || path.endsWith('/tests.rs')

/** Files that a program writes; `freshness.test.ts` holds the program that does. */
export const generated: readonly string[] = [
  'server/openapi.json',
  'docs/errors.md',
  'server/clients/typescript/src/schema.gen.ts',
  'web/src/api/roles.gen.ts',
  'package-lock.json',
  'native/Cargo.lock',
]
