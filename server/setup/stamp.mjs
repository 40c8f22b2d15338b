// A stamp is a file beside a build's output that holds the fingerprint of the inputs it was made from.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const skipped = new Set(['node_modules', 'target', 'dist', 'test', 'tests', 'fuzz', 'generated'])
const written = /\.node$|[._]gen\.\w+$/

/**
 * SHA-256 over the names and contents of files, and of the files in folders, without tests and what builds write.
 * @param {string} root @param {string[]} paths relative to the root; one that does not exist counts as empty
 */
export function fingerprint(root, paths) {
  const hash = createHash('sha256')
  hash.update(`node ${process.version} ${process.platform} ${process.arch}\n`)
  for (const path of paths) {
    for (const file of files(root, path)) hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}

/** @param {string} root @param {string} path @returns {Generator<string>} */
function* files(root, path) {
  const stat = statSync(join(root, path), { throwIfNoEntry: false })
  if (stat?.isFile()) yield path
  if (!stat?.isDirectory()) return
  for (const name of readdirSync(join(root, path)).sort()) {
    if (!skipped.has(name) && !written.test(name)) yield* files(root, `${path}/${name}`)
  }
}

/** @param {string} stamp @param {string} print */
export function isFresh(stamp, print) {
  try {
    return readFileSync(stamp, 'utf8') === print
  } catch {
    return false
  }
}

/** @param {string} stamp @param {string} print */
export function markFresh(stamp, print) {
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, print)
}
