// What the two lock files fix: every package of npm and every crate.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockedCrates, shippedCrates } from '../../server/packaging/crates.mjs'
import { root } from '../../server/setup.mjs'

/**
 * @typedef {object} Locked
 * @property {'npm' | 'crates.io'} ecosystem
 * @property {string} name
 * @property {string} version
 * @property {string | null} license
 * @property {boolean} shipped whether users get it
 * @property {boolean} checked whether its source is the registry, with a checksum
 */

const REGISTRY = 'registry+https://github.com/rust-lang/crates.io-index'

/** @returns {Locked[]} those of this repository excepted */
export function lockedPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const modules = 'node_modules/'
  /** @type {Locked[]} */
  const ofNpm = Object.entries(packages)
    .filter(([path, { link }]) => path.includes(modules) && link !== true)
    .map(([path, { name, version, license = null, dev = false, integrity, resolved }]) => ({
      ecosystem: 'npm',
      name: name ?? path.slice(path.lastIndexOf(modules) + modules.length),
      version,
      license,
      shipped: !dev,
      checked: integrity !== undefined && resolved === undefined,
    }))
  const shipped = new Set(shippedCrates().map(({ id }) => id))
  /** @type {Locked[]} */
  const ofRust = lockedCrates()
    .filter(({ source }) => source !== null)
    .map(({ id, name, version, license, source }) => ({
      ecosystem: 'crates.io',
      name,
      version,
      license,
      shipped: shipped.has(id),
      checked: source === REGISTRY,
    }))
  return [...ofNpm, ...ofRust]
}
