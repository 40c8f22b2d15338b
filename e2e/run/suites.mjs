// The suites of `npm test`: Rust, then TypeScript by workspace, then the whole. Each runs, shows its output, and counts.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../server/setup.mjs'

/** @typedef {{ passed: number, failed: number }} Count */

const reports = join(root, 'e2e/.artifacts/reports')

/** @returns {{ name: string, run: () => Promise<Count> }[]} */
export function suites() {
  rmSync(reports, { recursive: true, force: true })
  mkdirSync(reports, { recursive: true })
  const workspaces = ['native/crates/node', 'server', 'web', 'e2e']
  return [
    { name: 'cargo test', run: () => cargoTest(['--workspace', '--no-fail-fast']) },
    ...workspaces
      .filter((path) => existsSync(join(root, path, 'vitest.config.ts')))
      .map((path) => ({ name: path, run: () => vitest(path, []) })),
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
    { name: 'core, many rounds', run: () => cargoTest(['--package', 'tessera-core', '--release', '--no-fail-fast']) },
    { name: 'histories over REST', run: () => vitest('e2e', ['--project', 'goals', 'linearizable', 'crash']) },
  ]
}

/** What `npm run test:long` asks for; a variable that is set already wins. */
const longRounds = {
  TESSERA_CRASH_ROUNDS: '1000',
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

/** @param {string} path of the workspace, relative to the root @param {string[]} which @returns {Promise<Count>} */
async function vitest(path, which) {
  const report = join(reports, `${path.replaceAll('/', '-')}.json`)
  const args = ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...which]
  const { code } = await run('npx', args, join(root, path))
  if (!existsSync(report)) return { passed: 0, failed: 1 }
  const { numPassedTests: passed, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'))
  return { passed, failed: code !== 0 && numFailedTests === 0 ? 1 : numFailedTests }
}

/**
 * Runs a command, shows its output as it comes, and keeps it.
 * @param {string} command @param {string[]} args @param {string} cwd
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function run(command, args, cwd) {
  console.log(`\n▸ ${command} ${args.join(' ')}`)
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
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
