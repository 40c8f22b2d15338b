// Tessera's side of the benchmark, through the public REST API: loads, builds of the document index and the published queries,
// in a `memory` namespace whose set is distributed by repository.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import http from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

/** @typedef {import('./gateway.mjs').Gateway} Gateway */
/** @typedef {import('./postgres-table.mjs').Query} Query */

const [namespace, set, index] = ['bench', 'events', 'payload']
const where = [
  { bin: 'event_type', op: 'eq', value: 'PushEvent' },
  { bin: 'payload', op: 'contains', value: { commits: [{ author: { email: 'test@gmail.com' } }] } },
]
const request = { set, select: ['event_id', 'repo_id'], unnest: { bin: 'payload', path: 'commits', as: 'commit' } }
/** @type {Record<Query, object>} */
const queries = {
  all: { ...request, where: { and: where } },
  one: { ...request, where: { and: [...where, { bin: 'repo_id', op: 'eq', value: 17_330_407 }] } },
}

/** @param {Gateway} gateway @param {string} method @param {string} path @param {object} [body] @param {Record<string, string>} [more] headers */
async function call({ url, token }, method, path, body, more = {}) {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...more }
  const content = body && { body: JSON.stringify(body) }
  const response = await fetch(`${url}/api/v1${path}`, { method, headers, ...content })
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
  return response
}

/** Writes generated events as CSV. @param {Gateway} gateway @param {string} file @param {number} rows */
export async function sampleEvents(gateway, file, rows) {
  const { body } = await call(gateway, 'GET', `/sample-events?rows=${rows}&seed=1&format=csv`)
  if (body === null) throw new Error('the gateway sent no events')
  await pipeline(Readable.fromWeb(/** @type {any} */ (body)), createWriteStream(file))
}

/** @param {Gateway} gateway */
export async function create(gateway) {
  await call(gateway, 'POST', '/namespaces', { name: namespace, storage: { engine: 'memory' } })
}

/** @param {Gateway} gateway */
export async function remove(gateway) {
  await call(gateway, 'DELETE', `/namespaces/${namespace}`, undefined, { 'x-confirm': namespace })
}

/** Loads the file; seconds of the import itself. @param {Gateway} gateway @param {string} file @param {number} rows @param {number} threads */
export async function load({ url, token }, file, rows, threads) {
  const query = `set=${set}&key=event_id&distributionBin=repo_id&threads=${threads}`
  const headers = [`authorization: Bearer ${token}`, 'content-type: text/csv', 'expect:']
  const args = ['-sS', '--fail-with-body', '-X', 'POST', '-T', file, ...headers.flatMap((line) => ['-H', line])]
  const report = JSON.parse(await curl([...args, `${url}/api/v1/namespaces/${namespace}/import?${query}`]))
  if (report.inserted !== rows) throw new Error(`of ${rows} events ${report.inserted} were stored`)
  return report.elapsedMs / 1000
}

/** @param {string[]} args @returns {Promise<string>} */
function curl(args) {
  const child = spawn('curl', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => (output += chunk))
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`curl ended with ${code}: ${output}`)),
    )
  })
}

/** Builds the document index; seconds of the job itself. @param {Gateway} gateway @param {number} threads */
export async function build(gateway, threads) {
  const spec = { name: index, set, bin: 'payload', kind: 'document', threads }
  const started = await call(gateway, 'POST', `/namespaces/${namespace}/indexes`, spec)
  let job = await started.json()
  while (job.endedAt === undefined) job = await (await call(gateway, 'GET', `/jobs/${job.id}?wait=30s`)).json()
  if (job.state !== 'done') throw new Error(`the build ended as ${job.state}: ${job.error?.message}`)
  // Jobs tell milliseconds: what took less took one.
  return Math.max(1, Date.parse(job.endedAt) - Date.parse(job.startedAt)) / 1000
}

/** @param {Gateway} gateway */
export async function drop(gateway) {
  await call(gateway, 'DELETE', `/namespaces/${namespace}/indexes/${index}`, undefined, { 'x-confirm': index })
}

/** @param {Gateway} gateway @returns {Promise<number>} */
export async function indexBytes(gateway) {
  return (await (await call(gateway, 'GET', `/namespaces/${namespace}/indexes/${index}`)).json()).bytes
}

/**
 * Runs the query; its rows, and what the engine says of it, which comes behind them as a trailer.
 * @param {Gateway} gateway @param {Query} query @param {'auto' | 'never'} useIndex
 * @returns {Promise<{ rows: string, summary: { elapsedMs: number, method: string } }>}
 */
export async function ask({ url, token }, query, useIndex) {
  const sent = http.request(`${url}/api/v1/namespaces/${namespace}/query`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/x-ndjson',
    },
  })
  sent.end(JSON.stringify({ ...queries[query], useIndex }))
  const [response] = /** @type {[http.IncomingMessage]} */ (await once(sent, 'response'))
  const rows = await text(response)
  const summary = response.trailers['x-summary']
  if (response.statusCode !== 200 || summary === undefined) {
    throw new Error(`query ${query} answered ${response.statusCode} without a summary: ${rows}`)
  }
  return { rows, summary: JSON.parse(summary) }
}
