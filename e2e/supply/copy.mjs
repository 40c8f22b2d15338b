// The last answer of OSV, kept in the repository for those without a network. It says when it was given, and about what.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { keyOf } from './advisories.mjs'

/**
 * @typedef {import('./advisories.mjs').Advisory} Advisory
 * @typedef {{ askedAt: string, packages: string[], advisories: Advisory[] }} Copy
 */

/** @param {string} path @returns {Copy | undefined} */
export function readCopy(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

/** @param {string} path @param {readonly import('./advisories.mjs').Package[]} packages @param {Advisory[]} advisories */
export function keepCopy(path, packages, advisories) {
  const names = [...new Set(packages.map(keyOf))].sort()
  const copy = { askedAt: new Date().toISOString(), packages: names, advisories }
  writeFileSync(path, `${JSON.stringify(copy, null, 2)}\n`)
}

/**
 * What the copy says about what is locked now, and in one line how far it can be trusted.
 * @param {Copy} copy @param {readonly import('./advisories.mjs').Package[]} packages @param {number} now
 * @returns {{ advisories: Advisory[], trust: string }}
 */
export function fromCopy(copy, packages, now) {
  const names = new Set(packages.map(keyOf))
  const known = new Set(copy.packages)
  const unknown = [...names].filter((name) => !known.has(name))
  const days = Math.floor((now - Date.parse(copy.askedAt)) / 86_400_000)
  return {
    advisories: copy.advisories.filter((advisory) => names.has(advisory.package)),
    trust: `a copy of ${days} days; it does not know ${unknown.length} of ${names.size} packages`,
  }
}
