// GETs of 1 KB records over HTTP, against a route of the same application that returns a constant buffer of the same size.
// The application runs in this process, the load generator in another; both routes take turns, so that a busy machine
// hits both, and the figures are medians of the rounds.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../../server/setup.mjs'
import { engine } from './rust.mjs'

const [connections, rounds, records, valueBytes] = [64, 3, 100_000, 1000]
const secondsOfRecords = 10

/** @typedef {import('./rust.mjs').Figures} Figures */

/** @param {string} scratch @returns {Promise<Figures>} */
export async function httpGet(scratch) {
  const { app, address, token } = await start(scratch)
  try {
    await load(address, token)
    const target = { address, token, keys: records, connections }
    const path = '/api/v1/namespaces/bench/sets/kb/records/{key}'
    /** @param {string} route @param {number} seconds */
    const drive = (route, seconds) =>
      engine(
        'http-load',
        Object.entries({ ...target, path: route, seconds }).flatMap(([k, v]) => [`--${k}`, String(v)]),
      )
    await drive(path, 2)
    await drive('/constant', 2)
    /** @type {{ record: Figures[], constant: Figures[] }} */
    const runs = { record: [], constant: [] }
    for (let round = 0; round < rounds; round += 1) {
      runs.record.push(await drive(path, secondsOfRecords))
      runs.constant.push(await drive('/constant', secondsOfRecords))
      console.error(`round ${round + 1} of ${rounds}: ${JSON.stringify(runs.record.at(-1))}`)
    }
    const requestsPerSecond = median(runs.record, 'requestsPerSecond')
    const constantRequestsPerSecond = median(runs.constant, 'requestsPerSecond')
    return {
      requestsPerSecond,
      constantRequestsPerSecond,
      shareOfConstant: requestsPerSecond / constantRequestsPerSecond,
      errors: [...runs.record, ...runs.constant].reduce((sum, run) => sum + (run['errors'] ?? 0), 0),
      p50Ms: median(runs.record, 'p50Ms'),
      p99Ms: median(runs.record, 'p99Ms'),
    }
  } finally {
    await app.close()
  }
}

/** @param {Figures[]} runs @param {string} figure */
function median(runs, figure) {
  const values = runs.map((run) => run[figure] ?? 0).sort((a, b) => a - b)
  return values[Math.floor((values.length - 1) / 2)] ?? 0
}

/** Builds the real application, adds the constant route, and listens on a free port. @param {string} scratch */
async function start(scratch) {
  /** @param {string} file */
  const from = (file) => import(pathToFileURL(join(root, 'server/dist', file)).href)
  const { buildApp } = await from('app.js')
  const { readConfig } = await from('config.js')
  const { Access } = await from('auth/access.js')
  const { openNativeEngine } = await from('engines/native.js')
  const config = readConfig(['--port', '0', '--data', join(scratch, 'data')], { TESSERA_LOG_LEVEL: 'silent' })
  const token = 'b'.repeat(43)
  const app = await buildApp({ config, engine: await openNativeEngine(config), access: new Access(token) })
  const body = Buffer.alloc(1024, 'x')
  app.get('/constant', { config: { public: true } }, (/** @type {unknown} */ _, /** @type {any} */ reply) =>
    reply.type('application/octet-stream').send(body),
  )
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  return { app, address: url.host, token }
}

/** Writes the records that the measured route answers. @param {string} address @param {string} token @param {string} [storage] */
export async function load(address, token, storage = 'memory') {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' }
  const namespaces = `http://${address}/api/v1/namespaces`
  await sent(namespaces, { 'content-type': 'application/json' }, `{"name":"bench","storage":{"engine":"${storage}"}}`)
  for (let first = 0; first < records; first += 5000) {
    let lines = ''
    for (let key = first; key < first + 5000; key += 1) {
      lines += `${JSON.stringify({ key: String(key), bins: { value: String(key).padEnd(valueBytes, 'v') } })}\n`
    }
    await sent(`${namespaces}/bench/sets/kb/records`, {}, lines)
  }

  /** @param {string} url @param {Record<string, string>} more @param {string} body */
  async function sent(url, more, body) {
    const response = await fetch(url, { method: 'POST', headers: { ...headers, ...more }, body })
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  }
}
