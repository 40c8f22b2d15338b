// The packages of npm, as package-lock.json fixes them.
import { readFileSync } from 'node:fs'

const modules = 'node_modules/'

/**
 * @typedef {object} NpmPackage
 * @property {string} name
 * @property {string} version
 * @property {string | null} license
 * @property {boolean} shipped whether users get it
 * @property {boolean} checked whether its source is the registry, with a checksum
 */

/** Those of this repository excepted. @returns {NpmPackage[]} */
export function lockedNpmPackages() {
  const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'))
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes(modules) && link !== true)
    .map(([path, { name, version, license = null, dev = false, integrity, resolved }]) => ({
      name: name ?? path.slice(path.lastIndexOf(modules) + modules.length),
      version,
      license,
      shipped: !dev,
      checked: integrity !== undefined && resolved === undefined,
    }))
}
