// What the two lock files fix: every package of npm and every crate.
import { lockedCrates, shippedCrates } from '../../server/packaging/crates.mjs'
import { lockedNpmPackages } from '../../server/packaging/npm-packages.mjs'

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
  /** @type {Locked[]} */
  const ofNpm = lockedNpmPackages().map((one) => ({ ecosystem: 'npm', ...one }))
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
