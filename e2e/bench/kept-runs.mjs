// What kept benchmark runs cost: the start of a gateway whose data directory has many, its first list of them, and its memory.
// The files are copies of one that the gateway wrote, each with an id of its own.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { call, startGateway } from './gateway.mjs'
import { option } from './live-load.mjs'

const MIB = 1024 * 1024
const SECONDS = 10

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {Awaited<ReturnType<typeof startGateway>>} Gateway */

/** @param {string} scratch @param {string[]} options `--runs <n>` @returns {Promise<Figures>} */
export async function keptRuns(scratch, options) {
  const runs = option(options, '--runs', 10_000)
  const first = await startGateway(scratch)
  await call(first, 'POST', '/namespaces', { name: 'load', storage: { engine: 'memory' } })
  const workload = { namespace: 'load', keys: 1000, threads: 2, targetTps: 5000, fill: true, durationSeconds: SECONDS }
  const { id } = await call(first, 'POST', '/workloads?wait=60s', workload)
  await first.stop()
  const without = await measured(scratch)
  const folder = join(scratch, 'data', 'workloads')
  const file = readFileSync(join(folder, `${id}.ndjson`), 'utf8')
  copy(folder, file, id, runs)
  console.error(`${readdirSync(folder).length} files of ${file.length} bytes`)
  const withRuns = await measured(scratch)
  return {
    runs,
    bytesPerRun: file.length,
    startMs: withRuns.startMs,
    startWithoutMs: without.startMs,
    firstListMs: withRuns.firstListMs,
    nextListMs: withRuns.nextListMs,
    mostHealthzMs: withRuns.mostHealthzMs,
    mostHealthzWithoutMs: without.mostHealthzMs,
    residentMiB: withRuns.residentMiB - without.residentMiB,
  }
}

/** Writes copies of a run until there are so many. @param {string} folder @param {string} file @param {string} id @param {number} runs */
function copy(folder, file, id, runs) {
  const end = file.indexOf('\n') + 1
  const [run, seconds] = [JSON.parse(file.slice(9, end)), file.slice(end)]
  mkdirSync(folder, { recursive: true })
  for (let n = 1; n < runs; n += 1) {
    // The ids are of the length of the real one, and before it.
    const name = String(n).padStart(id.length, '0')
    const json = JSON.stringify({ ...run, id: name, spec: { ...run.spec, namespace: `load-${n % 20}` } })
    writeFileSync(join(folder, `${name}.ndjson`), `${crc32c(json)} ${json}\n${seconds}`)
  }
}

/** A start, two lists, and how long `/healthz` took meanwhile. @param {string} scratch */
async function measured(scratch) {
  const began = performance.now()
  const gateway = await startGateway(scratch)
  const startMs = performance.now() - began
  const over = new AbortController()
  let mostHealthzMs = 0
  const looking = (async () => {
    while (!over.signal.aborted) {
      const asked = performance.now()
      await (await fetch(`${gateway.url}/healthz`)).arrayBuffer()
      mostHealthzMs = Math.max(mostHealthzMs, performance.now() - asked)
      await delay(2)
    }
  })()
  await delay(200)
  mostHealthzMs = 0
  const firstListMs = await listed(gateway)
  const nextListMs = await listed(gateway)
  over.abort()
  await looking
  const residentMiB = (Number(readFileSync(`/proc/${gateway.pid}/statm`, 'latin1').split(' ')[1]) * 4096) / MIB
  await gateway.stop()
  return { startMs, firstListMs, nextListMs, mostHealthzMs, residentMiB }
}

/** @param {Gateway} gateway */
async function listed(gateway) {
  const asked = performance.now()
  await call(gateway, 'GET', '/workloads?limit=100')
  return performance.now() - asked
}

/** The checksum of a line, 8 hexadecimal digits. @param {string} text */
function crc32c(text) {
  let sum = 0xffffffff
  for (const byte of Buffer.from(text)) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0x82f63b78 : sum >>> 1
  }
  return ((sum ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0')
}
