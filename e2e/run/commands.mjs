// How a suite runs a command: what it prints goes to the suite's log, what it counted comes back.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { root } from '../../server/setup.mjs'
import { reports } from './lanes.mjs'

/** @typedef {import('./lanes.mjs').Count} Count @typedef {import('./lanes.mjs').Log} Log */
/** @typedef {Readonly<Record<string, string | undefined>>} Variables of the environment */

export const manifest = ['--manifest-path', 'native/Cargo.toml']

/** Lints while it compiles. */
const wrapper = join(root, 'e2e/run/rustc.sh')

/** Tests at once in a program of Rust: most wait for a disk, and leave the processors to others. */
export const threads = { RUST_TEST_THREADS: String(4 * availableParallelism()) }

/** The last line of a program of tests: how many passed, how many failed, seconds. */
const RESULT = String.raw`^test result: \w+\. (\d+) passed; (\d+) failed;.* finished in ([\d.]+)s$`

/**
 * @typedef {object} Cargo
 * @property {string[]} [through] what stands before `test`: a toolchain, a tool
 * @property {string[]} [filters] which tests, as their program takes them
 * @property {Variables} [variables]
 */

/**
 * Counts the tests of all programs; a build or a program that fails without saying so counts as one failure, and so does
 * a filter that matches no test, because the module that it names has moved.
 * @param {Log} log @param {string[]} which @param {Cargo} [cargo] @returns {Promise<Count>}
 */
export async function cargoTest(log, which, { through = [], filters = [], variables = {} } = {}) {
  const args = [...through, 'test', ...manifest, ...which, '--no-fail-fast', '--', ...filters]
  const { code, output } = await run(log, 'cargo', args, { variables })
  /** @type {Count} */
  const count = { passed: 0, failed: 0, parts: [] }
  let program = ''
  const told = new RegExp(`^ +(?:Running|Doc-tests) (.+)$|${RESULT}`, 'gm')
  for (const [, name, passed, failed, seconds] of output.matchAll(told)) {
    if (name !== undefined) {
      program = name.replace(/ \(\S+\)$/, '')
      continue
    }
    count.passed += Number(passed)
    count.failed += Number(failed)
    count.parts.push({ name: program, seconds: Number(seconds) })
  }
  if (code !== 0) count.failures = panicsOf(which.join(' '), output)
  if (code !== 0 && count.failed === 0) count.failed = 1
  const ran = Array.from(output.matchAll(/^test (\S+)/gm), ([, name = '']) => name)
  const idle = filters.filter((filter) => !filter.startsWith('--') && !ran.some((name) => name.includes(filter)))
  if (code === 0 && idle.length > 0) {
    log.write(`No test matches ${idle.join(', ')}.\n`)
    count.failed += idle.length
  }
  return count
}

/** What failed in a program of tests, each with what it printed. @param {string} program @param {string} output */
const panicsOf = (program, output) =>
  Array.from(
    output.matchAll(/^---- (\S+) stdout ----\n([^]*?)(?=^---- |^failures:$|$(?![^]))/gm),
    ([, name, text = '']) => `${program} > ${name}\n${text.trim()}`,
  )

/** @typedef {{ name: string, isTest: boolean, program: string, folder: string, source: string }} Artifact a library has no program: '' */

/**
 * Compiles and lints everything that is tested, in one go: what is built by itself later has other features, and is built
 * twice. Answers the warnings, also those of what Cargo has kept.
 * @param {Log} log @param {(artifact: Artifact) => void} written hears of each library and program, long before the last
 * test is compiled
 */
export async function cargoBuild(log, written) {
  /** @type {Set<string>} a library and its tests have the same ones */
  const warnings = new Set()
  const line = (/** @type {string} */ text) => {
    if (!text.startsWith('{"reason":')) return true
    const { reason, message, target, profile, executable, manifest_path } = JSON.parse(text)
    if (reason === 'compiler-message') {
      log.write(message.rendered)
      // Without a place it only says how many there were.
      if (message.level === 'warning' && message.spans.length > 0) warnings.add(message.rendered)
      return false
    }
    if (reason !== 'compiler-artifact') return false
    const folder = dirname(manifest_path)
    const source = relative(dirname(folder), target.src_path)
    written({ name: target.name, isTest: profile.test, program: executable ?? '', folder, source })
    return false
  }
  const args = ['build', ...manifest, '--workspace', '--lib', '--bins', '--tests', '--message-format=json']
  const { code } = await run(log, 'cargo', args, { line, variables: { RUSTC_WORKSPACE_WRAPPER: wrapper } })
  if (code !== 0) throw new Error(`cargo build ended with ${code}`)
  return [...warnings]
}

/** The programs that take longest begin first; one that begins last would run alone. */
const LONG = ['core/src/lib.rs', 'core/tests/integration/main.rs', 'storage/src/lib.rs', 'core/tests/clock_jumps.rs']

/**
 * Runs programs of tests, one more at a time than there are processors, as some only wait. Cargo runs one after the other. A
 * program that fails without saying so, or ends without a result, counts as one failure.
 * @param {Log} log @param {readonly Artifact[]} programs @param {Variables} variables @returns {Promise<Count>}
 */
export async function runPrograms(log, programs, variables) {
  /** @type {Count} */
  const count = { passed: 0, failed: programs.length === 0 ? 1 : 0, parts: [] }
  const waiting = LONG.flatMap((long) => programs.filter(({ source }) => source === long))
  waiting.push(...programs.filter((program) => !waiting.includes(program)))
  const inTurn = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { program, folder, source } = next
      // What two programs print is not mixed.
      const lines = new PassThrough().resume()
      const { code, output } = await run(lines, program, [], { cwd: folder, variables })
      log.write(`▸ ${source}\n${output}`)
      const [passed = 0, failed = 1, seconds = 0] = new RegExp(RESULT, 'm').exec(output)?.slice(1).map(Number) ?? []
      count.passed += passed
      count.failed += code === 0 ? failed : Math.max(failed, 1)
      count.parts.push({ name: source, seconds })
      if (code !== 0) (count.failures ??= []).push(...panicsOf(source, output))
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, inTurn))
  return count
}

/**
 * @param {Log} log @param {string} path of the workspace, relative to the root @param {string[]} [which]
 * @param {Variables} [variables]
 * @returns {Promise<Count>}
 */
export async function vitest(log, path, which = [], variables = {}) {
  const report = join(reports, `${[path, ...which].join('-').replaceAll(/\W+/g, '-')}.json`)
  const reporters = ['--reporter=default', `--reporter=${join(root, 'e2e/run/counting-reporter.mjs')}`]
  const args = ['vitest', 'run', ...reporters, `--outputFile=${report}`, ...which]
  const { code } = await run(log, 'npx', args, { cwd: join(root, path), variables })
  if (!existsSync(report)) return { passed: 0, failed: 1, parts: [] }
  /** @type {Count} */
  const count = JSON.parse(readFileSync(report, 'utf8'))
  if (code !== 0 && count.failed === 0) count.failed = 1
  return count
}

/**
 * Runs a command to its end; its two outputs are one, in the order in which they came.
 * @param {Log} log @param {string} command @param {string[]} args
 * @param {{ cwd?: string, variables?: Variables, line?: (text: string) => boolean }} [options] `line` hears each line of
 * the output as it comes, and says whether it is to be kept
 * @returns {Promise<{ code: number | null, output: string }>}
 */
export async function run(log, command, args, { cwd = root, variables = {}, line = () => true } = {}) {
  log.write(`▸ ${command} ${args.join(' ')}\n`)
  const child = spawn('sh', ['-c', 'exec "$0" "$@" 2>&1', command, ...args], {
    cwd,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  let output = ''
  for await (const text of createInterface({ input: child.stdout })) {
    if (!line(text)) continue
    output += `${text}\n`
    log.write(`${text}\n`)
  }
  const [code] = await ended
  return { code, output }
}
