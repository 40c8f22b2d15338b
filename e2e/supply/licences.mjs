// Which licences go with Apache-2.0, the licence of Tessera.
import satisfies from 'spdx-satisfies'

/** @typedef {{ name: string, version: string, license: string | null }} Licensed */

/** Licences that ask for no more than to be named. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'Apache-2.0 WITH LLVM-exception',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BSL-1.0',
  'CC0-1.0',
  // For data, here a list of certificates: it asks for its text alone.
  'CDLA-Permissive-2.0',
  'ISC',
  'MIT',
  'OFL-1.1',
  'MIT-0',
  'Unicode-3.0',
  'Unlicense',
  'Zlib',
]
/** Programs that build and test, and are given to nobody, may have these too. */
const OF_TOOLS = [...ALLOWED, 'CC-BY-3.0', 'MPL-2.0', 'PSF-2.0', 'Python-2.0']

/**
 * What does not go with ours, or does not say its licence.
 * @param {readonly Licensed[]} packages @param {boolean} shipped whether users get them
 * @returns {string[]} one line per package
 */
export function refused(packages, shipped) {
  return packages
    .filter(({ license }) => license === null || !takes(license, shipped ? ALLOWED : OF_TOOLS))
    .map(({ name, version, license }) => `${name} ${version}: ${license ?? 'no licence'}`)
}

/** @param {string} license an expression; old crates have a slash in place of OR @param {string[]} allowed */
function takes(license, allowed) {
  try {
    return satisfies(license.replaceAll(/\s*\/\s*/g, ' OR '), allowed)
  } catch {
    // A text that is no expression, such as SEE LICENSE IN, needs a person.
    return false
  }
}
