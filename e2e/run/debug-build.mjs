// What Cargo builds for the tests: one suite builds it all, and each waits only for what it runs.
import { join } from 'node:path'
import { root } from '../../server/setup.mjs'
import { cargoBuild } from './commands.mjs'

/** @typedef {import('./lanes.mjs').Log} Log */

/** Where it is written. */
export const debug = join(root, 'native/target/debug')

/** @type {Promise<void> | undefined} */
let built

/** @type {Set<string>} libraries and programs that are written, by Cargo's name of their target */
const written = new Set()

/** @type {(() => void)[]} told of each */
const waiting = []

/** Builds it once, whoever asks first. @param {Log} log */
export function build(log) {
  built ??= cargoBuild(log, (name) => {
    written.add(name)
    for (const look of waiting) look()
  })
  return built
}

/**
 * Waits until Cargo has written these, long before the last test is compiled; fails if the build does.
 * @param {Log} log @param {readonly string[]} names
 */
export async function artifacts(log, names) {
  /** @type {Promise<void>} */
  const all = new Promise((resolve) => {
    waiting.push(() => names.every((name) => written.has(name)) && resolve())
  })
  await Promise.race([all, build(log)])
}
