// What the gateway adds to GETs of 1 KB records, as it says itself: one connection at 200 a second, and 64 connections that
// each send the next one after an answer.
import { startGateway } from './gateway.mjs'
import { load } from './http-get.mjs'
import { option } from './live-load.mjs'
import { startLoad } from './load-process.mjs'

const records = 100_000
const path = '/api/v1/namespaces/bench/sets/kb/records/{key}'

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {import('./gateway.mjs').Gateway} Gateway */

/** @param {string} scratch @param {string[]} options `--seconds <n>` of each load @returns {Promise<Figures>} */
export async function addedLatency(scratch, options) {
  const seconds = option(options, '--seconds', 15)
  const gateway = await startGateway(scratch)
  const process = startLoad()
  try {
    const { host: address, hostname: host, port } = new URL(gateway.url)
    await load(address, gateway.token)
    const target = { host, port: Number(port), token: gateway.token, path, keys: records }
    /** @param {number} connections @param {number} rate @param {number} time */
    const drive = async (connections, rate, time) => {
      const before = await bucketsOf(gateway)
      const outcome = await process.drive({ ...target, connections, rate, seconds: time })
      const added = less(await bucketsOf(gateway), before)
      return { ...outcome, addedP50Us: quantileUs(added, 0.5), addedP99Us: quantileUs(added, 0.99) }
    }
    await drive(64, 0, 3)
    const light = await drive(1, 200, seconds)
    const many = await drive(64, 0, seconds)
    return {
      lightPerSecond: light.good / light.seconds,
      lightAddedP50Us: light.addedP50Us,
      lightAddedP99Us: light.addedP99Us,
      lightClientP99Ms: light.p99Ms,
      manyPerSecond: many.good / many.seconds,
      manyAddedP50Us: many.addedP50Us,
      manyAddedP99Us: many.addedP99Us,
      manyClientP99Ms: many.p99Ms,
      notGood: light.refused + light.other + many.refused + many.other,
    }
  } finally {
    process.stop()
    await gateway.stop()
  }
}

/** Counts by bucket, all since the start: a run is shorter than the window. @param {Gateway} gateway */
async function bucketsOf({ url, token }) {
  const response = await fetch(`${url}/api/v1/about`, { headers: { authorization: `Bearer ${token}` } })
  const { added } = /** @type {{ added: { buckets: number[] } }} */ (await response.json())
  /** @type {Map<number, number>} */
  const buckets = new Map()
  for (let i = 0; i < added.buckets.length; i += 2) buckets.set(added.buckets[i] ?? 0, added.buckets[i + 1] ?? 0)
  return buckets
}

/** @param {Map<number, number>} all @param {Map<number, number>} part */
const less = (all, part) => new Map([...all].map(([bucket, count]) => [bucket, count - (part.get(bucket) ?? 0)]))

/** The upper edge of the bucket with a quantile. @param {Map<number, number>} buckets @param {number} share */
function quantileUs(buckets, share) {
  const total = [...buckets.values()].reduce((sum, count) => sum + count, 0)
  let below = 0
  for (const [bucket, count] of [...buckets].sort(([a], [b]) => a - b)) {
    below += count
    if (below >= share * total)
      return (128 * 2 ** Math.floor((bucket + 1) / 16) * (1 + ((bucket + 1) % 16) / 16)) / 1000
  }
  return Number.NaN
}
