// What `npm run check` runs: every check of the sources that needs no test, one line each.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { root } from '../../server/setup.mjs'

const cargo = ['--manifest-path', 'native/Cargo.toml']
const peers = ['--manifest-path', 'native/peers/Cargo.toml', '--target-dir', 'native/target']
const { workspaces } = readJson('package.json')

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(`${root}/${path}`, 'utf8'))
}

/** @type {{ name: string, command: string, args: string[] }[]} */
const checks = [
  { name: 'cargo fmt', command: 'cargo', args: ['fmt', ...cargo, '--all', '--check'] },
  ...['native/fuzz', 'native/peers'].map((path) => ({
    name: `cargo fmt of ${path}`,
    command: 'cargo',
    args: ['fmt', '--manifest-path', `${path}/Cargo.toml`, '--check'],
  })),
  {
    name: 'clippy',
    command: 'cargo',
    args: ['clippy', ...cargo, '--quiet', '--workspace', '--all-targets', '--', '-D', 'warnings'],
  },
  {
    // No more than that: its tests would build two more stores. In the folder of the other, most of what it needs is there.
    name: 'clippy of native/peers',
    command: 'cargo',
    args: ['clippy', ...peers, '--quiet', '--all-targets', '--', '-D', 'warnings'],
  },
  ...workspaces
    .filter((/** @type {string} */ path) => 'check' in (readJson(`${path}/package.json`).scripts ?? {}))
    .map((/** @type {string} */ path) => ({
      name: `types of ${path}`,
      command: 'npm',
      args: ['run', '--silent', 'check', '--workspace', path],
    })),
  { name: 'oxlint', command: 'npx', args: ['oxlint', '--deny-warnings'] },
  { name: 'prettier', command: 'npx', args: ['prettier', '--check', '--log-level', 'warn', '.'] },
]

/** Runs all checks, prints what fails, and counts. */
export function check() {
  const count = { passed: 0, failed: 0 }
  for (const { name, command, args } of checks) {
    const started = Date.now()
    const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
    count[status === 0 ? 'passed' : 'failed'] += 1
    console.log(`${status === 0 ? '✔' : '✘'} ${name}, ${((Date.now() - started) / 1000).toFixed(1)} s`)
  }
  return count
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (check().failed > 0) process.exitCode = 1
}
