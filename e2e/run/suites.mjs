// The suites of `npm test`: Rust, then TypeScript by workspace, then the whole. Each runs, shows its output, and counts.
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../server/setup.mjs'

/** @typedef {{ passed: number, failed: number }} Count */

const reports = join(root, 'e2e/.artifacts/reports')

/** @returns {{ name: string, run: () => Promise<Count> }[]} */
export function suites() {
  rmSync(reports, { recursive: true, force: true })
  mkdirSync(reports, { recursive: true })
  return [
    { name: 'cargo test', run: () => cargoTest(['--workspace', '--no-fail-fast']) },
    { name: 'native/crates/node', run: () => vitest('native/crates/node', [], guardedAddon()) },
    { name: 'server', run: () => vitest('server', [], guardedAddon()) },
    { name: 'web', run: () => vitest('web', []) },
    { name: 'e2e', run: () => vitest('e2e', []) },
  ]
}

/**
 * The tests whose rounds the environment sets, with as many as a night allows: kills, power losses, damage, histories, fuzzing.
 * @returns {{ name: string, run: () => Promise<Count> }[]}
 */
export function longSuites() {
  mkdirSync(reports, { recursive: true })
  Object.assign(process.env, longRounds, process.env)
  return [
    {
      name: 'core, many rounds',
      run: () => cargoTest(['--package', 'tessera-core', '--profile', 'long', '--no-fail-fast']),
    },
    { name: 'histories over REST', run: () => vitest('e2e', ['--project', 'goals', 'linearizable', 'crash']) },
  ]
}

/** What `npm run test:long` asks for; a variable that is set already wins. */
const longRounds = {
  TESSERA_CRASH_ROUNDS: '1000',
  TESSERA_DAMAGE_ROUNDS: '12',
  TESSERA_EPOCHS: '200',
  TESSERA_FUZZ_TIMES: '8',
  TESSERA_SCAN_HISTORIES: '10000',
}

/**
 * Counts the tests of all binaries; a build or a binary that fails without saying so counts as one failure.
 * @param {string[]} which @returns {Promise<Count>}
 */
async function cargoTest(which) {
  const args = ['test', '--manifest-path', 'native/Cargo.toml', ...which]
  const { code, output } = await run('cargo', args, root)
  const count = { passed: 0, failed: 0 }
  for (const [, passed, failed] of output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed/gm)) {
    count.passed += Number(passed)
    count.failed += Number(failed)
  }
  if (code !== 0 && count.failed === 0) count.failed = 1
  return count
}

/** @type {Promise<string> | undefined} */
let guarded

/**
 * The addon as `cargo test` compiles the engine: with debug assertions it fails where the JavaScript thread would wait for a disk.
 * @returns {Promise<string>} its path
 */
function guardedAddon() {
  guarded ??= (async () => {
    await run('cargo', ['build', '--manifest-path', 'native/Cargo.toml', '--package', 'tessera-node'], root)
    const addon = join(reports, 'tessera.node')
    const library = process.platform === 'darwin' ? 'libtessera_node.dylib' : 'libtessera_node.so'
    copyFileSync(join(root, 'native/target/debug', library), addon)
    return addon
  })()
  return guarded
}

/**
 * @param {string} path of the workspace, relative to the root @param {string[]} which
 * @param {Promise<string>} [addon] in place of the one that users run
 * @returns {Promise<Count>}
 */
async function vitest(path, which, addon) {
  const report = join(reports, `${path.replaceAll('/', '-')}.json`)
  const args = ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...which]
  const { code } = await run('npx', args, join(root, path), addon && { TESSERA_ADDON: await addon })
  if (!existsSync(report)) return { passed: 0, failed: 1 }
  const { numPassedTests: passed, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'))
  return { passed, failed: code !== 0 && numFailedTests === 0 ? 1 : numFailedTests }
}

/**
 * Runs a command, shows its output as it comes, and keeps it.
 * @param {string} command @param {string[]} args @param {string} cwd @param {Record<string, string>} [variables]
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function run(command, args, cwd, variables) {
  console.log(`\n▸ ${command} ${args.join(' ')}`)
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (/** @type {string} */ text) => {
      output += text
      process.stdout.write(text)
    })
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}
