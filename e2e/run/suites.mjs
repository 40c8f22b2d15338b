// The suites of `npm test` and of `npm run test:long`, in lanes that run side by side.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { checks, formatOfRust } from './check.mjs'
import { cargoTest, runPrograms, threads, vitest } from './commands.mjs'
import { artifacts, build, debug, isBuilding, testPrograms } from './debug-build.mjs'
import { reports } from './lanes.mjs'
import { onRamDisk } from './ram-disk.mjs'
import { addressSanitizer, loom, miri, mutants } from './tools.mjs'

/** @typedef {import('./lanes.mjs').Suite} Suite @typedef {import('./lanes.mjs').Log} Log */

/**
 * Rust in one lane, as Cargo builds one thing at a time, and what is short after it; in the other what Node runs. Clippy
 * lints while Rust is built.
 * @returns {Suite[][]}
 */
export function suites() {
  return [
    [builds, rustTests, formatOfRust, binding],
    [
      checks,
      { name: 'web', budget: 220, run: (log) => vitest(log, 'web') },
      {
        name: 'tree',
        budget: 30,
        run: (log) =>
          vitest(log, 'e2e', ['--project=tidy', '--project=bench', '--project=supply', '--project=cluster']),
      },
      { name: 'server', budget: 340, run: (log) => onRamDisk((variables) => onGuardedAddon('server', variables)(log)) },
      goals,
    ],
  ]
}

/**
 * The gate of a release: what looks for undefined behaviour, races and untested lines; rounds as many as a night allows; every page in
 * every look; the experiments of the lab as users run them; binding and gateway with the addon that users get.
 * @returns {Suite[][]}
 */
export function longSuites() {
  // A variable that is set already wins.
  const variables = { ...longRounds, ...process.env }
  const rounds = (/** @type {Log} */ log) =>
    cargoTest(log, ['--package=tessera-core', '--package=tessera-storage', '--profile=long'], {
      variables: { ...threads, ...variables },
    })
  return [
    [
      loom,
      miri,
      { name: 'native/crates/node', budget: 30, run: (log) => vitest(log, 'native/crates/node') },
      { name: 'server', budget: 240, run: (log) => vitest(log, 'server', [], variables) },
      ...contracts,
      crewed,
      addressSanitizer,
      { name: 'core and storage, many rounds', budget: 7200, bare: true, run: rounds },
      { name: 'chaos', budget: 3900, run: (log) => vitest(log, 'e2e', ['--project=chaos'], variables) },
      { name: 'goals, many rounds', budget: 3600, run: (log) => vitest(log, 'e2e', ['--project=goals'], variables) },
      mutants,
    ],
  ]
}

/** What the gateway answers in the same way for every engine, with those that `npm test` leaves out. @type {Suite[]} */
const contracts = [
  { engine: 'device', capacityBytes: 256 * 1024 ** 2, writeBlockBytes: 1024 ** 2 },
  { engine: 'paged', capacityBytes: 256 * 1024 ** 2 },
].map((storage) => ({
  name: `contract on ${storage.engine}`,
  budget: 60,
  run: (log) => vitest(log, 'server', [], { CONTRACT_STORAGE: JSON.stringify(storage) }),
}))

/** What several workers answer as one thread does. @type {Suite} */
const crewed = {
  name: 'gateway with two workers',
  budget: 240,
  run: (log) => vitest(log, 'server', [], { GATEWAY_WORKERS: '2' }),
}

/** What `npm run test:long` asks for. */
const longRounds = {
  TESSERA_CASES: '1',
  TESSERA_CHAOS_MINUTES: '60',
  TESSERA_CRASH_ROUNDS: '200',
  TESSERA_DAMAGE_ROUNDS: '12',
  TESSERA_EPOCHS: '200',
  TESSERA_FUZZ_TIMES: '8',
  TESSERA_LAB_SCALE: 'quick',
  TESSERA_LONG: 'all',
  TESSERA_LOOKS: 'all',
  TESSERA_PAGE_SIZES: 'all',
  TESSERA_SCAN_HISTORIES: '10000',
  TESSERA_SCHEMA_EXAMPLES: '40',
}

/** @type {Suite} */
const builds = {
  name: 'cargo build',
  budget: 420,
  bare: true,
  run: async (log) => {
    const failures = await build(log)
    return { passed: 1, failed: failures.length, parts: [], failures }
  },
}

/** What `build` has compiled. Rounds of `test:long` are on a disk. @type {Suite} */
const rustTests = {
  name: 'cargo test',
  budget: 150,
  bare: true,
  run: async (log) => {
    const programs = await testPrograms(log)
    return onRamDisk((variables) => runPrograms(log, programs, { ...threads, ...variables }))
  },
}

/** @type {Suite} */
const binding = { name: 'native/crates/node', budget: 60, run: onGuardedAddon('native/crates/node') }

/** Real browsers and gateways, and the commands of the docs with the programs as they are built here. @type {Suite} */
const goals = {
  name: 'goals',
  budget: 650,
  run: async (log) => {
    // Goals alone need less than all that is tested: they build the two programs as their readers do.
    if (!isBuilding()) return vitest(log, 'e2e', ['--project=goals'])
    await artifacts(log, ['tessera', 'tessera-events'])
    return vitest(log, 'e2e', ['--project=goals'], { TESSERA_PROGRAMS: debug })
  },
}

/**
 * The tests of a workspace with the addon as `cargo test` compiles the engine: with debug assertions it fails where the JavaScript
 * thread would wait for a disk.
 * @param {string} path @param {Readonly<Record<string, string>>} [variables] @returns {Suite['run']}
 */
function onGuardedAddon(path, variables = {}) {
  return async (log) => {
    await artifacts(log, ['tessera_node'])
    // Each suite has its own: another one that begins meanwhile must not write over what this one has loaded.
    const addon = join(reports, `${path.replaceAll('/', '-')}.node`)
    const library = process.platform === 'darwin' ? 'libtessera_node.dylib' : 'libtessera_node.so'
    copyFileSync(join(debug, library), addon)
    return vitest(log, path, [], { ...variables, TESSERA_ADDON: addon })
  }
}
