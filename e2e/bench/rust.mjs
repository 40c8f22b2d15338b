// Builds and runs the release binaries of native/crates/workload and native/crates/events.
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../server/setup.mjs'

/** @typedef {Record<string, number>} Figures */

const binaries = join(root, 'native/target/release')
let built = false

async function build() {
  if (built) return
  const cargo = [
    'build',
    '--release',
    '--manifest-path',
    'native/Cargo.toml',
    '--package',
    'tessera-workload',
    '--package',
    'tessera-events',
    '--bins',
  ]
  await ended(spawn('cargo', cargo, { cwd: root, stdio: ['ignore', 2, 2] }), 'cargo build')
  built = true
}

/**
 * Runs one benchmark of the engine and resolves with its figures.
 * @param {string} name @param {string[]} options @returns {Promise<Figures>}
 */
export async function engine(name, options) {
  await build()
  const child = spawn(join(binaries, 'tessera-bench'), [name, ...options], { stdio: ['ignore', 'pipe', 2] })
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => (text += chunk))
  await ended(child, name)
  return JSON.parse(text).figures
}

/**
 * Writes generated events as CSV.
 * @param {string} file @param {number} rows @param {number} seed
 */
export async function events(file, rows, seed) {
  await build()
  const options = ['--rows', String(rows), '--seed', String(seed)]
  const output = openSync(file, 'w')
  await ended(spawn(join(binaries, 'tessera-events'), options, { stdio: ['ignore', output, 2] }), 'tessera-events')
  closeSync(output)
}

/** @param {import('node:child_process').ChildProcess} child @param {string} name @returns {Promise<void>} */
function ended(child, name) {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${name} ended with ${code}`))))
  })
}
