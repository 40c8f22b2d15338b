// A start of the gateway, from the start of its process to the first 200 of `/readyz`: of an empty data directory, and of one
// with records on a device, which were closed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { root } from '../../server/setup.mjs'
import { quantile } from './figures.mjs'
import { load } from './http-get.mjs'
import { option } from './live-load.mjs'

const LOOK_MS = 2
/** Clock ticks of the kernel, a second. */
const TICKS = 100

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {{ readyMs: number, totalMs: number, processorMs: number, parts: Record<string, number> }} Start */

/** @param {string} scratch @param {string[]} options `--rounds <n>` @returns {Promise<Figures>} */
export async function gatewayStart(scratch, options) {
  const rounds = option(options, '--rounds', 9)
  /** @type {Start[]} */
  const empty = []
  for (let round = 0; round < rounds; round += 1) empty.push(await started(join(scratch, `empty-${round}`)))
  const full = join(scratch, 'full')
  await started(full, (address, token) => load(address, token, 'device'))
  /** @type {Start[]} */
  const filled = []
  for (let round = 0; round < rounds; round += 1) filled.push(await started(full))
  const parts = Object.keys(empty[0]?.parts ?? {})
  return {
    readyMs: median(empty, ({ readyMs }) => readyMs),
    slowestReadyMs: Math.max(...empty.map(({ readyMs }) => readyMs)),
    readyWithRecordsMs: median(filled, ({ readyMs }) => readyMs),
    processorMs: median(empty, ({ processorMs }) => processorMs),
    totalMs: median(empty, ({ totalMs }) => totalMs),
    ...Object.fromEntries(parts.map((part) => [`${part}Ms`, median(empty, (start) => start.parts[part] ?? 0)])),
  }
}

/** @param {Start[]} starts @param {(start: Start) => number} of */
const median = (starts, of) =>
  quantile(
    starts.map(of).sort((a, b) => a - b),
    0.5,
  )

/**
 * Starts a gateway, uses it and stops it.
 * @param {string} data @param {(address: string, token: string) => Promise<void>} [use] @returns {Promise<Start>}
 */
async function started(data, use) {
  const port = await freePort()
  const args = [join(root, 'server/dist/server.js'), '--port', String(port), '--data', data]
  const began = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 2] })
  const exit = once(child, 'exit')
  while (!(await isReady(port))) await delay(LOOK_MS)
  const readyMs = performance.now() - began
  const processorMs = processorOf(child.pid ?? 0)
  const token = readFileSync(join(data, 'admin.token'), 'utf8').trim()
  const address = `127.0.0.1:${port}`
  const response = await fetch(`http://${address}/api/v1/about`, { headers: { authorization: `Bearer ${token}` } })
  const { start } = /** @type {{ start: { totalMs: number, parts: { part: string, ms: number }[] } }} */ (
    await response.json()
  )
  await use?.(address, token)
  child.kill()
  await exit
  const parts = Object.fromEntries(start.parts.map(({ part, ms }) => [part, ms]))
  return { readyMs, processorMs, totalMs: start.totalMs, parts }
}

/** @param {number} port @returns {Promise<boolean>} */
const isReady = (port) =>
  new Promise((resolve) => {
    const asked = get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    asked.on('error', () => resolve(false))
  })

/** Time of processors, in and for the process. @param {number} pid */
function processorOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1000
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  server.close()
  await once(server, 'close')
  return port
}
