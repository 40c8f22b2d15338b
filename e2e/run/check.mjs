// What `npm run check` runs: every check of the sources that needs no test, those of Rust beside all others.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { root } from '../../server/setup.mjs'
import { run } from './commands.mjs'
import { runLanes } from './lanes.mjs'

/** @typedef {{ name: string, command: string, args: string[], told?: boolean }} Check `told`: what it prints is shown */

const cargo = ['--manifest-path', 'native/Cargo.toml']
const { workspaces } = readJson('package.json')

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(`${root}/${path}`, 'utf8'))
}

/** @type {Check[]} */
const format = [
  { name: 'cargo fmt', command: 'cargo', args: ['fmt', ...cargo, '--all', '--check'] },
  {
    name: 'cargo fmt of native/fuzz',
    command: 'cargo',
    args: ['fmt', '--manifest-path', 'native/fuzz/Cargo.toml', '--check'],
  },
]

/** In `npm test` the build lints. @type {Check} */
const clippy = {
  name: 'clippy',
  command: 'cargo',
  args: ['clippy', ...cargo, '--quiet', '--workspace', '--all-targets', '--', '-D', 'warnings'],
}

/** @type {Check[]} */
const ofTheRest = [
  ...workspaces
    .filter((/** @type {string} */ path) => 'check' in (readJson(`${path}/package.json`).scripts ?? {}))
    .map((/** @type {string} */ path) => ({
      name: `types of ${path}`,
      command: 'npm',
      args: ['run', '--silent', 'check', '--workspace', path],
    })),
  // It says how far it can be trusted.
  { name: 'advisories, licences, sources', command: 'node', args: ['e2e/supply/main.mjs'], told: true },
  { name: 'oxlint', command: 'npx', args: ['oxlint', '--deny-warnings'] },
  { name: 'oxfmt', command: 'npx', args: ['oxfmt', '--list-different'] },
]

/** @param {string} name @param {number} budget @param {Check[]} checks @returns {import('./lanes.mjs').Suite} */
function suite(name, budget, checks) {
  return {
    name,
    budget,
    run: async (log) => {
      /** @type {import('./lanes.mjs').Count} */
      const count = { passed: 0, failed: 0, parts: [] }
      for (const check of checks) {
        const started = Date.now()
        const { code, output } = await run(log, check.command, check.args)
        if (check.told === true && code === 0) console.log(output.trimEnd())
        count[code === 0 ? 'passed' : 'failed'] += 1
        if (code !== 0) (count.failures ??= []).push(`${check.name}\n${output.trim()}`)
        count.parts.push({ name: check.name, seconds: (Date.now() - started) / 1000 })
      }
      return count
    },
  }
}

export const formatOfRust = suite('format of Rust', 10, format)
export const checks = suite('checks', 40, ofTheRest)

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rows = await runLanes([[formatOfRust, suite('clippy', 60, [clippy])], [checks]])
  if (rows.some(({ failed }) => failed > 0)) process.exitCode = 1
}
