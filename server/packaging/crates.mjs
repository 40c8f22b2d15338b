// The crates of the engine, as Cargo.lock fixes them. Cargo resolves them without a network and compiles nothing.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const native = fileURLToPath(new URL('../../native', import.meta.url))
const manifest = join(native, 'Cargo.toml')

/**
 * @typedef {object} Crate
 * @property {string} id as Cargo writes it
 * @property {string} name
 * @property {string} version
 * @property {string | null} source null: a crate of this repository
 * @property {string | null} license an SPDX expression; some old ones have a slash in place of OR
 * @property {string | null} repository
 * @property {string[]} uses ids of what is linked with it, those of build scripts and tests excepted
 */

/** All crates that are locked, tests and other stores included. @returns {Crate[]} */
export function lockedCrates() {
  const args = ['metadata', '--format-version', '1', '--locked', '--manifest-path', manifest]
  // What a build has fetched is enough. If it is not here yet, Cargo fetches it.
  const { packages, resolve } = JSON.parse(cargo([...args, '--offline']) ?? cargo(args) ?? failed())
  /** @type {Map<string, string[]>} */
  const uses = new Map(
    resolve.nodes.map((/** @type {any} */ { id, deps }) => [
      id,
      deps
        .filter((/** @type {any} */ dep) => dep.dep_kinds.some((/** @type {any} */ { kind }) => kind === null))
        .map((/** @type {any} */ dep) => dep.pkg),
    ]),
  )
  return packages.map((/** @type {any} */ { id, name, version, source, license, repository }) => ({
    id,
    name,
    version,
    source,
    license,
    repository,
    uses: uses.get(id) ?? [],
  }))
}

/** Those in the addon that users get, on any platform. Metadata alone has those of tests too. @returns {Crate[]} */
export function shippedCrates() {
  const edges = ['--package', 'tessera-node', '--edges', 'normal', '--target', 'all']
  const args = ['tree', ...edges, '--prefix', 'none', '--format', '{p}', '--locked', '--manifest-path', manifest]
  const tree = cargo([...args, '--offline']) ?? cargo(args) ?? failed()
  const linked = new Set(Array.from(tree.matchAll(/^(\S+) v(\S+)/gm), ([, name, version]) => `${name}@${version}`))
  return lockedCrates()
    .filter(({ name, version }) => linked.has(`${name}@${version}`))
    .sort((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version))
}

/** SHA-256 of the archive of each crate, by name and version. @returns {Map<string, string>} */
export function checksums() {
  const lock = readFileSync(join(native, 'Cargo.lock'), 'utf8')
  const each = /^name = "(.+)"\nversion = "(.+)"\nsource = ".+"\nchecksum = "([0-9a-f]{64})"/gm
  return new Map(Array.from(lock.matchAll(each), ([, name, version, sum = '']) => [`${name}@${version}`, sum]))
}

/** @param {string[]} args @returns {string | undefined} */
function cargo(args) {
  const { status, stdout } = spawnSync('cargo', args, { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 })
  return status === 0 ? stdout : undefined
}

/** @returns {never} */
function failed() {
  throw new Error('cargo metadata failed. Run: cargo fetch --locked --manifest-path native/Cargo.toml')
}
