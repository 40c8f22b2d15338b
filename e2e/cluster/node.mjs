// One node as a process of its own, that outlives whoever started it. Its id is in its directory.
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { SetupError } from '../../server/setup.mjs'
import { CLIENT_PORT, configOf, javaOptions, logback, STORAGE_PORT } from './config.mjs'

/** @typedef {import('./config.mjs').Shape} Shape */
/** @typedef {import('./config.mjs').Node} Node */

const STOP_MS = 30_000
const POLL_MS = 200

/** @param {Node} node */
const pidFile = ({ directory }) => join(directory, 'pid')

/** @param {Node} node */
export const logFile = ({ directory }) => join(directory, 'system.log')

/**
 * The id of the process of a node; undefined if it does not run. A number that another program has by now is not taken for it.
 * @param {Node} node @returns {number | undefined}
 */
export function pidOf(node) {
  if (!existsSync(pidFile(node))) return undefined
  const pid = Number(readFileSync(pidFile(node), 'utf8'))
  return Number.isSafeInteger(pid) && pid > 0 && commandOf(pid).includes(`${node.directory}/`) ? pid : undefined
}

/** @param {number} pid */
function commandOf(pid) {
  const known = `/proc/${pid}/cmdline`
  if (existsSync('/proc/self/cmdline')) return existsSync(known) ? readFileSync(known, 'utf8') : ''
  return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout
}

/**
 * Starts a node.
 * @param {Node} node @param {Shape} shape @param {string} java @param {readonly string[]} jars
 * @throws {SetupError} if its address or a port cannot be had
 */
export async function startNode(node, shape, java, jars) {
  const { address, directory } = node
  await checkPort(address, CLIENT_PORT)
  await checkPort(address, STORAGE_PORT)
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'cassandra.yaml'), configOf(node, shape))
  writeFileSync(join(directory, 'logback.xml'), logback)
  const log = openSync(logFile(node), 'w')
  const child = spawn(java, javaOptions(node, shape, jars), {
    cwd: directory,
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const begun = await new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid))
    child.once('error', reject)
  })
  child.unref()
  writeFileSync(pidFile(node), String(begun))
}

/** @param {string} host @param {number} port @returns {Promise<void>} */
function checkPort(host, port) {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) => {
      const code = 'code' in error ? error.code : undefined
      const hint =
        code === 'EADDRNOTAVAIL'
          ? `${host} is no address of this machine. On macOS: sudo ifconfig lo0 alias ${host} up`
          : `${host}:${port} cannot be had (${code}). End what listens there, and try again.`
      reject(new SetupError(hint))
    })
    server.listen(port, host, () => server.close(() => resolve()))
  })
}

/**
 * Ends a node: asks it, and kills it after 30 s.
 * @param {Node} node @returns {Promise<boolean>} whether it ran
 */
export async function stopNode(node) {
  const pid = pidOf(node)
  if (pid === undefined) return false
  process.kill(pid, 'SIGTERM')
  const late = performance.now() + STOP_MS
  let killed = false
  while (pidOf(node) === pid) {
    if (!killed && performance.now() > late) {
      process.kill(pid, 'SIGKILL')
      killed = true
    }
    await after(POLL_MS)
  }
  rmSync(pidFile(node), { force: true })
  return true
}
