// Mutation testing: changes one expression after the other, and counts which of these mutants fail a test.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifest, run } from './commands.mjs'
import { reports } from './lanes.mjs'

/** @typedef {import('./lanes.mjs').Count} Count @typedef {import('./lanes.mjs').Log} Log */
/** @typedef {{ name: string, caught: number, all: number }} Module */

/** Of a module's mutants so many must be caught: percent. */
const CAUGHT_LEAST = 90

/** Packages, and in them the modules that are counted by themselves: the first whose files begin so takes a mutant. */
const packages = [
  {
    name: 'tessera-record',
    modules: [
      { name: 'filter', files: 'crates/record/src/filter/' },
      { name: 'record', files: 'crates/record/src/' },
    ],
  },
  {
    name: 'tessera-index',
    modules: [
      { name: 'slot_set', files: 'crates/index/src/slot_set' },
      { name: 'index', files: 'crates/index/src/' },
    ],
  },
]

/** All 3,100 mutants take a night. A run takes so few of them, every eighth; the day says which. */
const SHARDS = 8

/** What a mutant may take before it is stopped, which some do without end: kilobytes. */
const MEMORY = 8 << 20

/** Each mutant is compiled, and few tests run long: without optimization it is the other way round, and faster in all. */
const variables = { CARGO_PROFILE_DEV_OPT_LEVEL: '0' }

/** Which mutants, as cargo-mutants takes it: `TESSERA_MUTANTS`, or those of the day. */
function shard() {
  const day = Math.floor(Date.now() / 86_400_000)
  return process.env['TESSERA_MUTANTS'] ?? `${day % SHARDS}/${SHARDS}`
}

/** @param {Log} log @returns {Promise<Count>} */
export async function mutate(log) {
  /** @type {Count} */
  const count = { passed: 0, failed: 0, parts: [] }
  for (const { name, modules } of packages) {
    const started = Date.now()
    const output = join(reports, name)
    const files = modules.map(({ files: path }) => `--file=${path}**`)
    // What fuzzing runs is a test itself, as is what makes documents for tests. The tests are all in the library.
    const apart = ['--exclude=**/fuzz/**', '--exclude=**/sample.rs', '--cargo-arg=--lib']
    const some = ['--sharding=round-robin', '--shard', shard()]
    const which = ['--package', name, ...files, ...apart, ...some, '--output', output]
    const limited = ['-c', `ulimit -v ${MEMORY}; exec cargo "$@"`, 'cargo']
    await run(log, 'sh', [...limited, 'mutants', ...manifest, '--no-shuffle', '--colors=never', ...which], {
      variables,
    })
    const counted = countOf(join(output, 'mutants.out/outcomes.json'), modules)
    for (const { name: module, caught, all } of counted) {
      const percent = all === 0 ? 0 : (caught / all) * 100
      log.write(`${module}: ${caught} of ${all} mutants caught, ${percent.toFixed(1)}%\n`)
      if (percent < CAUGHT_LEAST) count.failed += 1
      else count.passed += 1
    }
    count.parts.push({ name, seconds: (Date.now() - started) / 1000 })
  }
  return count
}

/**
 * A mutant that makes the tests hang is caught; one that does not compile counts for nothing.
 * @param {string} path of what cargo-mutants found @param {{ name: string, files: string }[]} modules @returns {Module[]}
 */
function countOf(path, modules) {
  const counted = modules.map(({ name }) => ({ name, caught: 0, all: 0 }))
  if (!existsSync(path)) return counted
  for (const { scenario, summary } of JSON.parse(readFileSync(path, 'utf8')).outcomes) {
    const file = scenario.Mutant?.file
    const module = counted[modules.findIndex(({ files }) => file?.startsWith(files))]
    if (module === undefined || summary === 'Unviable') continue
    module.all += 1
    if (summary === 'CaughtMutant' || summary === 'Timeout') module.caught += 1
  }
  return counted
}
