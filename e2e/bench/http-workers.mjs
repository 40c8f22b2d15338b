// GETs of 1 KB records over HTTP with one, two and four workers. Each has a server of its own, and they take turns, so that a
// busy machine hits all of them. The load generator needs processors, too: on two, the figures say what is left for the server.
import { join } from 'node:path'
import { startGateway } from './gateway.mjs'
import { load } from './http-get.mjs'
import { engine } from './rust.mjs'

const [connections, rounds, seconds, records] = [64, 3, 5, 100_000]
const path = '/api/v1/namespaces/bench/sets/kb/records/{key}'
const crews = [1, 2, 4]

/** @typedef {import('./rust.mjs').Figures} Figures */

/** @param {string} scratch @returns {Promise<Figures>} */
export async function httpWorkers(scratch) {
  const servers = await Promise.all(
    crews.map(async (workers) => {
      const settings = { TESSERA_WORKERS: String(workers), TESSERA_LOG_LEVEL: 'error', TESSERA_OVERLOAD_DELAY: '0ms' }
      const gateway = await startGateway(join(scratch, String(workers)), [], settings)
      return { workers, gateway, rates: /** @type {number[]} */ ([]), errors: 0 }
    }),
  )
  try {
    for (const { gateway } of servers) await load(new URL(gateway.url).host, gateway.token)
    for (let round = 0; round < rounds; round += 1) {
      for (const server of servers) {
        const { url, token } = server.gateway
        const target = { address: new URL(url).host, token, keys: records, connections, path, seconds }
        const run = await engine(
          'http-load',
          Object.entries(target).flatMap(([name, value]) => [`--${name}`, String(value)]),
        )
        server.rates.push(run['requestsPerSecond'] ?? 0)
        server.errors += run['errors'] ?? 0
      }
    }
    const [one = 0, two = 0, four = 0] = servers.map(({ rates }) => median(rates))
    const errors = servers.reduce((sum, server) => sum + server.errors, 0)
    return { withOne: one, withTwo: two, withFour: four, twoToOne: two / one, fourToOne: four / one, errors }
  } finally {
    for (const { gateway } of servers) await gateway.stop()
  }
}

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
