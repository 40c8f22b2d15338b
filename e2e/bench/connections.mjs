// A flood of connections that send nothing, or a part of a head and no more: is the gateway up, does its memory stay bounded, and are
// others served, on connections that are new each time and on one that stays?
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { fileURLToPath } from 'node:url'
import { memory, quantile, statusOf } from './figures.mjs'
import { startGateway } from './gateway.mjs'

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {import('./gateway.mjs').Gateway} Gateway */

const PROBE_MS = 20
const PARALLEL = 64
const SECONDS_MAX = 900

/**
 * @param {string} scratch
 * @param {string[]} options `--connections <n>` in all; `--most <n>`: TESSERA_CONNECTIONS @returns {Promise<Figures>}
 */
export async function connections(scratch, options) {
  const count = Number(valueOf(options, '--connections') ?? 100_000)
  const most = valueOf(options, '--most')
  const settings = most === undefined ? {} : { TESSERA_CONNECTIONS: most }
  const gateway = await startGateway(scratch, [], settings)
  try {
    const restMiB = memory(gateway, 'VmRSS')
    const [fresh, kept] = [probe(gateway, false), probe(gateway, true)]
    const cpuBefore = cpuSeconds(gateway)
    const load = await flood(gateway, count)
    const cpu = cpuSeconds(gateway) - cpuBefore
    const [newOnes, keptOnes] = [fresh(), kept()]
    const { gateway: use } = await statusOf(gateway)
    return {
      connections: load.connected,
      notConnected: load.failed,
      perSecond: load.connected / load.seconds,
      processors: cpu / load.seconds,
      madeRoom: use.connections.closed,
      refused: use.connections.refused,
      restMiB,
      peakMiB: memory(gateway, 'VmHWM'),
      newConnectionP50Ms: quantile(newOnes.delays, 0.5),
      newConnectionP99Ms: quantile(newOnes.delays, 0.99),
      newConnectionMaxMs: quantile(newOnes.delays, 1),
      newConnectionProbes: newOnes.delays.length,
      newConnectionFailures: newOnes.failures,
      keptConnectionP99Ms: quantile(keptOnes.delays, 0.99),
      keptConnectionProbes: keptOnes.delays.length,
      keptConnectionFailures: keptOnes.failures,
    }
  } finally {
    await gateway.stop()
  }
}

/** @param {string[]} options @param {string} name */
function valueOf(options, name) {
  const at = options.indexOf(name)
  return at < 0 ? undefined : options[at + 1]
}

/** @param {Gateway} gateway @param {number} count @returns {Promise<{ connected: number, failed: number, seconds: number }>} */
function flood({ url }, count) {
  const file = fileURLToPath(new URL('connections-load.mjs', import.meta.url))
  const words = [new URL(url).port, count, PARALLEL, SECONDS_MAX].map(String)
  const child = spawn(process.execPath, [file, ...words], { stdio: ['ignore', 'pipe', 2] })
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => (text += chunk))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`the load: ${code}`))))
  })
}

/** Asks for /healthz again and again; the result ends that and has what each took, ms. @param {Gateway} gateway @param {boolean} keepAlive */
function probe({ url }, keepAlive) {
  const agent = new Agent({ keepAlive, maxSockets: 1 })
  /** @type {number[]} */
  const delays = []
  let failures = 0
  let stopped = false
  const ask = () => {
    const began = performance.now()
    const again = () => {
      if (!stopped) setTimeout(ask, PROBE_MS)
    }
    get(`${url}/healthz`, { agent }, (answer) =>
      answer.resume().once('end', () => {
        delays.push(performance.now() - began)
        again()
      }),
    ).on('error', () => {
      failures += 1
      again()
    })
  }
  ask()
  return () => {
    stopped = true
    agent.destroy()
    return { delays: delays.toSorted((a, b) => a - b), failures }
  }
}

/** @param {Gateway} gateway */
function cpuSeconds({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}
