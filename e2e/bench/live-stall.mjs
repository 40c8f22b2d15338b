// Whether a stall of the core shows as it is: the whole process is stopped for 30 ms while reads are in flight on a disk. What
// was in flight must be an island of its own in the histogram of that second, and the median must not move.
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { startGateway } from './gateway.mjs'
import { option } from './live-load.mjs'

const STALL_MS = 30
/** Seconds before and after, which the median is compared with. */
const AROUND = 3
/** Into a second, so that a stall is in one alone. */
const INTO_SECOND_MS = 300
const NANOS_PER_MS = 1e6
const namespace = { name: 'stalled', storage: { engine: 'device' }, durability: 'relaxed' }
// A window keeps reads in flight all the time, so a stall meets some at any moment.
const workload = { namespace: 'stalled', workload: 'RU,100', keys: 50_000, threads: 2, window: 8, fill: true }

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {{ buckets: number[], count: number, op: string, side: string }} Series */
/** @typedef {{ time: string, durationMs: number, latency: Series[] }} Frame */
/** @typedef {{ url: string, token: string, pid: number }} Gateway */

/** @param {string} scratch @param {string[]} options `--rounds <n>` @returns {Promise<Figures>} */
export async function liveStall(scratch, options) {
  const gateway = await startGateway(scratch)
  try {
    const post = poster(gateway)
    await post('/namespaces', namespace)
    await post('/workloads', { ...workload, durationSeconds: 3600 })
    /** @type {Frame[]} */
    const frames = []
    const stop = listen(gateway, frames)
    await until(() => gets(frames.at(-1)) !== undefined && gets(frames.at(-1 - AROUND)) !== undefined)
    /** @type {Figures[]} */
    const rounds = []
    for (let round = 0; round < option(options, '--rounds', 7); round += 1) {
      rounds.push(await stallOnce(gateway, frames))
      console.error(JSON.stringify(rounds.at(-1)))
    }
    await stop()
    const names = Object.keys(rounds[0] ?? {})
    return Object.fromEntries(names.map((name) => [name, median(rounds.map((one) => one[name] ?? Number.NaN))]))
  } finally {
    await gateway.stop()
  }
}

/** Stops the gateway once, and looks at that second. @param {Gateway} gateway @param {Frame[]} frames @returns {Promise<Figures>} */
async function stallOnce({ pid }, frames) {
  const seen = frames.length
  await until(() => frames.length > seen)
  await delay(INTO_SECOND_MS)
  const stalledAt = Date.now()
  const stallMs = stall(pid)
  await until(() => frames.length > seen + 1 + AROUND)
  const at = frames.findIndex(({ time }) => Date.parse(time) > stalledAt)
  const second = gets(frames[at])
  if (second === undefined) throw new Error('the second of the stall has no reads')
  const around = frames.slice(at - AROUND, at + AROUND + 1).filter((frame) => frame !== frames[at])
  const medians = around.map((frame) => medianBucket(gets(frame)))
  const least = bucketOf(STALL_MS * NANOS_PER_MS)
  const island = second.filter(([bucket]) => bucket >= least)
  const [first] = island[0] ?? []
  if (first === undefined) throw new Error(`no read took ${STALL_MS} ms, although the process stood for ${stallMs} ms`)
  const rest = second.filter(([bucket]) => bucket < least)
  return {
    stallMs,
    readsPerSecond: second.reduce((sum, [, count]) => sum + count, 0),
    readsInIsland: island.reduce((sum, [, count]) => sum + count, 0),
    islandFromMs: lowerNs(first) / NANOS_PER_MS,
    restToMs: lowerNs((rest.at(-1)?.[0] ?? -1) + 1) / NANOS_PER_MS,
    emptyBuckets: first - (rest.at(-1)?.[0] ?? -1) - 1,
    p50Ms: lowerNs(medianBucket(second)) / NANOS_PER_MS,
    p50MovedBuckets: beyond(medianBucket(second), medians),
  }
}

/** Stops a process for so long, and says how long. @param {number} pid */
function stall(pid) {
  process.kill(pid, 'SIGSTOP')
  // The clock is the condition itself, so this waits without giving the processor away.
  while (!/^State:\tT/m.test(readFileSync(`/proc/${pid}/status`, 'latin1')));
  const stopped = performance.now()
  while (performance.now() < stopped + STALL_MS);
  process.kill(pid, 'SIGCONT')
  return performance.now() - stopped
}

/** Pairs of bucket and count of the reads of a second. @param {Frame | undefined} frame @returns {[number, number][] | undefined} */
function gets(frame) {
  const series = frame?.latency.find(({ op, side, count }) => op === 'get' && side === 'engine' && count > 0)
  return series?.buckets.flatMap((bucket, at) => (at % 2 === 0 ? [[bucket, series.buckets[at + 1] ?? 0]] : []))
}

/** @param {[number, number][] | undefined} pairs */
function medianBucket(pairs = []) {
  let left = pairs.reduce((sum, [, count]) => sum + count, 0) / 2
  return pairs.find(([, count]) => (left -= count) <= 0)?.[0] ?? Number.NaN
}

/** How far a value is from the range of others. @param {number} value @param {number[]} others */
const beyond = (value, others) => Math.max(0, Math.min(...others) - value, value - Math.max(...others))

/** Where a bucket begins. @param {number} bucket */
const lowerNs = (bucket) => 128 * 2 ** Math.floor(bucket / 16) * (1 + (bucket % 16) / 16)

/** @param {number} ns */
function bucketOf(ns) {
  let bucket = 0
  while (lowerNs(bucket + 1) <= ns) bucket += 1
  return bucket
}

/** @param {number[]} values */
function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** @param {() => boolean} isSo */
async function until(isSo) {
  while (!isSo()) await delay(20)
}

/** @param {Gateway} gateway */
function poster({ url, token }) {
  /** @param {string} path @param {unknown} body */
  return async (path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`POST ${path}: ${await response.text()}`)
  }
}

/** Collects frames until stopped. @param {Gateway} gateway @param {Frame[]} frames */
function listen({ url, token }, frames) {
  const stopped = new AbortController()
  const run = async () => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/api/v1/live?topics=latency`, { headers, signal: stopped.signal })
    const decoder = new TextDecoder()
    let text = ''
    const body = /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (response.body))
    for await (const chunk of body) {
      const events = (text + decoder.decode(chunk, { stream: true })).split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        const [, data] = /^data: (.*)$/m.exec(event) ?? []
        if (data !== undefined) frames.push(JSON.parse(data))
      }
    }
  }
  const running = run().catch((error) => {
    if (!stopped.signal.aborted) throw error
  })
  running.catch(() => undefined)
  return async () => {
    stopped.abort()
    await running
  }
}
