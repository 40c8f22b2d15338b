// The suites of `npm test` and of `npm run test:long`, in lanes that run side by side.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../server/setup.mjs'
import { checks, checksOfRust } from './check.mjs'
import { cargoBuild, cargoTest, vitest } from './commands.mjs'
import { reports } from './lanes.mjs'

/** @typedef {import('./lanes.mjs').Suite} Suite @typedef {import('./lanes.mjs').Log} Log */

/** Rust in one lane, as Cargo builds one thing at a time; in the other what Node runs. @returns {Suite[][]} */
export function suites() {
  return [
    [build, rustTests, checksOfRust],
    [
      checks,
      { name: 'web', budget: 20, run: (log) => vitest(log, 'web') },
      { name: 'tree', budget: 60, run: (log) => vitest(log, 'e2e', ['--project=tidy', '--project=bench']) },
      { name: 'native/crates/node', budget: 30, run: onGuardedAddon('native/crates/node') },
      { name: 'server', budget: 240, run: onGuardedAddon('server') },
      { name: 'goals', budget: 600, run: goals },
    ],
  ]
}

/**
 * The gate of a release: rounds as many as a night allows, every page in every look, the experiments of the lab as users run them.
 * @returns {Suite[][]}
 */
export function longSuites() {
  Object.assign(process.env, longRounds, process.env)
  return [
    [
      {
        name: 'core and storage, many rounds',
        run: (log) => cargoTest(log, ['--package=tessera-core', '--package=tessera-storage', '--profile=long']),
      },
      { name: 'goals, many rounds', run: (log) => vitest(log, 'e2e', ['--project=goals']) },
    ],
  ]
}

/** What `npm run test:long` asks for; a variable that is set already wins. */
const longRounds = {
  TESSERA_CRASH_ROUNDS: '1000',
  TESSERA_DAMAGE_ROUNDS: '12',
  TESSERA_EPOCHS: '200',
  TESSERA_FUZZ_TIMES: '8',
  TESSERA_LAB_SCALE: 'quick',
  TESSERA_LOOKS: 'all',
  TESSERA_SCAN_HISTORIES: '10000',
}

/** @type {Promise<void> | undefined} */
let built

/** @type {Suite} */
const build = {
  name: 'cargo build',
  budget: 300,
  run: async (log) => {
    built = cargoBuild(log)
    await built
    return { passed: 1, failed: 0, parts: [] }
  },
}

/** @type {Promise<unknown> | undefined} */
let tested

/** @type {Suite} */
const rustTests = {
  name: 'cargo test',
  budget: 300,
  run: (log) => {
    const counted = cargoTest(log, ['--workspace'])
    tested = counted
    return counted
  },
}

/** Real browsers and gateways, which want the processors for themselves: after the tests of Rust. @type {Suite['run']} */
async function goals(log) {
  await built
  await tested
  return vitest(log, 'e2e', ['--project=goals'])
}

/**
 * The tests of a workspace with the addon as `cargo test` compiles the engine: with debug assertions it fails where the JavaScript
 * thread would wait for a disk.
 * @param {string} path @returns {Suite['run']}
 */
function onGuardedAddon(path) {
  return async (log) => {
    await built
    const addon = join(reports, 'tessera.node')
    const library = process.platform === 'darwin' ? 'libtessera_node.dylib' : 'libtessera_node.so'
    copyFileSync(join(root, 'native/target/debug', library), addon)
    return vitest(log, path, [], { TESSERA_ADDON: addon })
  }
}
