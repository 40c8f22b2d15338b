// Suites of `npm run test:long` that need a tool beside stable Rust.
import { join } from 'node:path'
import { root } from '../../server/setup.mjs'
import { cargoTest, run, threads } from './commands.mjs'
import { mutate } from './mutants.mjs'

/** @typedef {import('./lanes.mjs').Suite} Suite @typedef {import('./lanes.mjs').Log} Log */

/** Cargo's own folder of a tool: what it builds would push out what others built. @param {string} tool */
const targetOf = (tool) => join(root, 'native/target', tool)

/**
 * A suite that says in one line what to install, if its tool does not answer.
 * @param {string} name @param {number} budget @param {{ asks: string[], install: string }} tool @param {Suite['run']} tests
 * @returns {Suite}
 */
function withTool(name, budget, { asks, install }, tests) {
  return {
    name,
    budget,
    bare: true,
    run: async (log) => {
      if ((await run(log, 'cargo', asks)).code === 0) return tests(log)
      log.write(`The suite "${name}" needs a tool that is missing. Run: ${install}\n`)
      return { passed: 0, failed: 1, parts: [] }
    },
  }
}

/** Every order of steps of what threads share: the models are tests beside the code. @type {Suite} */
export const loom = {
  name: 'loom',
  budget: 300,
  bare: true,
  run: (log) =>
    cargoTest(log, ['base', 'index', 'jobs'].map((crate) => `--package=tessera-${crate}`).concat('--lib'), {
      filters: ['models::'],
      variables: { RUSTFLAGS: '--cfg loom', CARGO_TARGET_DIR: targetOf('loom') },
    }),
}

/** What Miri runs: the parts with `unsafe`, those apart that call the system or need it to be fast. */
const interpreted = [
  { crate: 'base', filters: ['arena::', 'latency::', '--skip=latency::clock'] },
  // Threads of a pool that wait for work when the tests end are no leak.
  { crate: 'base', filters: ['pool::', 'notify::', 'ticker::'], flags: '-Zmiri-ignore-leaks' },
  { crate: 'io', filters: ['aligned::'] },
  { crate: 'record', filters: ['digest::', 'json::scan::', 'codec::'] },
  { crate: 'core', filters: ['segment::primary::line::', 'segment::primary::entry::'] },
  { crate: 'index', filters: ['set_column::equal::'] },
  { crate: 'core', filters: ['segment::primary::table::'], cases: 1 },
  { crate: 'storage', filters: ['memory::', '--skip=updates_run'], cases: 1 },
]

export const miri = withTool(
  'miri',
  600,
  { asks: ['+nightly', 'miri', '--version'], install: 'rustup toolchain install nightly --component miri,rust-src' },
  async (log) => {
    /** @type {import('./lanes.mjs').Count} */
    const sum = { passed: 0, failed: 0, parts: [] }
    for (const { crate, filters, flags = '', cases = 4 } of interpreted) {
      const count = await cargoTest(log, [`--package=tessera-${crate}`, '--lib'], {
        through: ['+nightly', 'miri'],
        filters,
        variables: {
          // Properties read a variable and a file.
          MIRIFLAGS: `-Zmiri-disable-isolation ${flags}`,
          // A tenth of a second on a processor is minutes here.
          PROPTEST_CASES: String(cases),
          // The program does not ask the processor here whether it has them.
          RUSTFLAGS: '-Ctarget-feature=+avx2',
        },
      })
      sum.passed += count.passed
      sum.failed += count.failed
      sum.parts.push(...count.parts.map(({ seconds }) => ({ name: `${crate}: ${filters.join(' ')}`, seconds })))
    }
    return sum
  },
)

export const addressSanitizer = withTool(
  'address sanitizer',
  1200,
  { asks: ['+nightly', '--version'], install: 'rustup toolchain install nightly' },
  async (log) => {
    // A target is named, so that build scripts and macros are compiled without it.
    const { output } = await run(log, 'rustc', ['--print', 'host-tuple'])
    const crates = ['core', 'storage', 'jobs', 'index', 'io'].map((crate) => `--package=tessera-${crate}`)
    return cargoTest(log, [...crates, `--target=${output.trim()}`], {
      through: ['+nightly'],
      variables: {
        ...threads,
        RUSTFLAGS: '-Zsanitizer=address',
        CARGO_TARGET_DIR: targetOf('asan'),
        // Threads that end while a process does are no leak, and a buffer larger than any memory gets none, as without it.
        ASAN_OPTIONS: 'detect_leaks=0:allocator_may_return_null=1',
      },
    })
  },
)

export const mutants = withTool(
  'mutants',
  14_400,
  { asks: ['mutants', '--version'], install: 'cargo install cargo-mutants --locked' },
  mutate,
)
