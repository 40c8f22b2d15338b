// What Cargo builds for the tests: one suite builds it all, and each waits only for what it runs.
import { join } from 'node:path'
import { root } from '../../server/setup.mjs'
import { cargoBuild } from './commands.mjs'

/** @typedef {import('./lanes.mjs').Log} Log @typedef {import('./commands.mjs').Artifact} Artifact */

/** Where it is written. */
export const debug = join(root, 'native/target/debug')

/** @type {Promise<string[]> | undefined} */
let built

/** @type {Artifact[]} what is written so far */
const written = []

/** @type {(() => void)[]} told of each */
const waiting = []

/** Builds it once, whoever asks first. Answers what the compiler and clippy warn of. @param {Log} log */
export function build(log) {
  built ??= cargoBuild(log, (artifact) => {
    written.push(artifact)
    for (const look of waiting) look()
  })
  return built
}

/** Whether a suite has asked for it. */
export const isBuilding = () => built !== undefined

/**
 * Waits until Cargo has written these libraries and programs, long before the last test is compiled; fails if the build
 * does.
 * @param {Log} log @param {readonly string[]} names
 */
export async function artifacts(log, names) {
  const isWritten = (/** @type {string} */ name) => written.some((one) => one.name === name && !one.isTest)
  /** @type {Promise<void>} */
  const all = new Promise((resolve) => {
    const look = () => names.every(isWritten) && resolve()
    waiting.push(look)
    look()
  })
  await Promise.race([all, build(log)])
}

/** The programs of the tests, once all are compiled. @param {Log} log */
export async function testPrograms(log) {
  await build(log)
  return written.filter(({ isTest }) => isTest)
}
