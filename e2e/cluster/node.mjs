// One node as a process of its own, that outlives whoever started it. Its id is in its directory.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as after } from 'node:timers/promises'
import { SetupError } from '../../server/setup.mjs'
import { CLIENT_PORT, configOf, javaOptions, logback, STORAGE_PORT, toldAddress } from './config.mjs'

/** @typedef {import('./config.mjs').Shape} Shape */
/** @typedef {import('./config.mjs').Node} Node */

const STOP_MS = 30_000
const POLL_MS = 200
const SYSTEM_LOG = 'system.log'

const relay = fileURLToPath(new URL('relay.mjs', import.meta.url))

/** @param {Node} node */
const pidFile = ({ directory }) => join(directory, 'pid')

/** @param {Node} node */
const relayFile = ({ directory }) => join(directory, 'relay.pid')

/** @param {Node} node */
export const logFile = ({ directory }) => join(directory, SYSTEM_LOG)

/**
 * The id of the process of a node; undefined if it does not run. A number that another program has by now is not taken for it.
 * @param {Node} node @returns {number | undefined}
 */
export const pidOf = (node) => runningOf(pidFile(node), `${node.directory}/`)

/** As `pidOf`, for the relay before a node. @param {Node} node @returns {number | undefined} */
export const relayPidOf = (node) => runningOf(relayFile(node), relay)

/** The process that a file names, if its command is the one that was started. @param {string} file @param {string} command */
function runningOf(file, command) {
  if (!existsSync(file)) return undefined
  const pid = Number(readFileSync(file, 'utf8'))
  return Number.isSafeInteger(pid) && pid > 0 && commandOf(pid).includes(command) ? pid : undefined
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
  const told = toldAddress(node, shape)
  // One that a killed node has left goes on.
  if (told !== address && relayPidOf(node) === undefined) {
    const words = [relay, address, told, String(CLIENT_PORT), String(STORAGE_PORT)]
    writeFileSync(relayFile(node), String(await outlasting(process.execPath, words, directory, 'relay.log')))
  }
  const begun = await outlasting(java, javaOptions(node, shape, jars), directory, SYSTEM_LOG)
  writeFileSync(pidFile(node), String(begun))
}

/**
 * Starts a process that outlives this one. Answers its id.
 * @param {string} program @param {readonly string[]} words @param {string} directory @param {string} output a file in it
 * @returns {Promise<number | undefined>}
 */
async function outlasting(program, words, directory, output) {
  const log = openSync(join(directory, output), 'w')
  const child = spawn(program, words, { cwd: directory, detached: true, stdio: ['ignore', log, log] })
  closeSync(log)
  await once(child, 'spawn')
  child.unref()
  return child.pid
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
  const [pid, before] = [pidOf(node), relayPidOf(node)]
  // It has nothing to end in order, and may stand still.
  if (before !== undefined) process.kill(before, 'SIGKILL')
  rmSync(relayFile(node), { force: true })
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
