// Writes server/licences.json: the packages and crates that users get, with their licences. Used by `npm run gen`.
import { writeFileSync } from 'node:fs'
import { shippedCrates } from './crates.mjs'
import { lockedNpmPackages } from './npm-packages.mjs'

/** @typedef {{ name: string, version: string, license: string | null }} Licensed */

/** @param {readonly Licensed[]} packages @param {string} source */
const listed = (packages, source) => {
  const lines = packages.map(({ name, version, license }) => ({
    name,
    version,
    // Some old crates have a slash in place of OR.
    licence: (license ?? '').replaceAll(/\s*\/\s*/g, ' OR '),
    source,
  }))
  // npm may have one version in two places.
  const each = new Map(lines.map((line) => [`${line.name} ${line.version}`, line]))
  return [...each.keys()].sort().map((key) => each.get(key))
}

const items = [
  ...listed(
    lockedNpmPackages().filter(({ shipped }) => shipped),
    'npm',
  ),
  ...listed(
    shippedCrates().filter(({ source }) => source !== null),
    'crates.io',
  ),
]
writeFileSync(new URL('../licences.json', import.meta.url), `${JSON.stringify({ items }, null, 2)}\n`)
