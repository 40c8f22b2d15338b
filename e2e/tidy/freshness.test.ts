import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { files, read, root } from './tree.ts'

// What `npm run gen` writes, in all workspaces.
const written = [
  'server/openapi.json',
  'server/licences.json',
  'docs/errors.md',
  'server/clients/typescript/src/schema.gen.ts',
  'web/src/api/roles.gen.ts',
].filter((path) => files.includes(path))

test('generated files are what their generators write today', () => {
  const before = new Map(written.map((path) => [path, read(path)]))
  execFileSync('npm', ['run', 'gen'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const stale: string[] = []
  for (const [path, text] of before) {
    if (read(path) === text) continue
    stale.push(path)
    writeFileSync(join(root, path), text)
  }
  expect(stale, 'run: npm run gen').toEqual([])
})
