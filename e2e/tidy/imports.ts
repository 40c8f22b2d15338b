import { dirname, join, normalize } from 'node:path'
import { files, read } from './tree.ts'

/** Sources of TypeScript and JavaScript, tests included. */
export const typescript: readonly string[] = files.filter(
  (path) => /\.(ts|tsx|mjs)$/.test(path) && !path.includes('/generated/'),
)

/** What a file imports, types included, as written. Relative specifiers are resolved to paths from the root. */
export function imports(path: string): string[] {
  const text = read(path)
  const specifiers = [...text.matchAll(/(?:^|[\s;])(?:import|export)\s(?:[^'";]*?\sfrom\s)?['"]([^'"]+)['"]/g)]
  const dynamic = [...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)]
  return [...specifiers, ...dynamic]
    .map(([, name]) => name ?? '')
    .map((name) => (name.startsWith('.') ? normalize(join(dirname(path), name)) : name))
}
