// Run after the build of the gateway. TypeBox is 680 small modules, and each takes a start its time to find and to read. Here
// they become a few files in `dist/typebox`, which the built gateway imports. Sources and tests import TypeBox as it is.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const server = fileURLToPath(new URL('../', import.meta.url))
const dist = join(server, 'dist')
const joined = join(dist, 'typebox')

/** What the gateway imports, by the names of the files. */
const modules = { type: 'typebox', value: 'typebox/value' }

/** A built file, with imports of the joined ones. @param {string} path @param {string} text */
function withJoined(path, text) {
  return Object.entries(modules).reduce((changed, [name, module]) => {
    const file = relative(dirname(path), join(joined, `${name}.js`)).replaceAll(sep, '/')
    return changed.replaceAll(`from '${module}'`, `from '${file.startsWith('.') ? file : `./${file}`}'`)
  }, text)
}

rmSync(joined, { recursive: true, force: true })
const built = readdirSync(dist, { recursive: true, withFileTypes: true })
await build({
  cwd: server,
  input: modules,
  platform: 'node',
  output: { dir: joined, format: 'esm', chunkFileNames: '[name].js' },
})
for (const entry of built) {
  if (!entry.isFile() || !entry.name.endsWith('.js')) continue
  const path = join(entry.parentPath, entry.name)
  const text = readFileSync(path, 'utf8')
  const changed = withJoined(path, text)
  if (changed !== text) writeFileSync(path, changed)
}
