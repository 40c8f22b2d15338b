// What one node of a cluster takes for each operation, and what a record takes on its disk: the constants of `scale`. It
// needs a cluster of one node (`npm run cluster:up -- --nodes 1`), which it stops to have all of its files written.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../../server/setup.mjs'
import { CLIENT_PORT, NET, nodeAt } from '../cluster/config.mjs'
import { pidOf, stopNode } from '../cluster/node.mjs'
import { startGateway } from './gateway.mjs'
import { option, word } from './live-load.mjs'
import { randomOf } from './scale-ring.mjs'

const TICKS_PER_SECOND = 100
const BATCH = 5000
const THREADS = 32

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {Awaited<ReturnType<typeof startGateway>>} Gateway */

/** @param {string} scratch @param {string[]} options `--records <n> --net <127.0.N>` @returns {Promise<Figures>} */
export async function clusterNode(scratch, options) {
  const node = nodeAt(1, word(options, '--net') ?? NET)
  const pid = pidOf(node)
  if (pid === undefined) throw new SetupError('Start a cluster first: npm run cluster:up -- --nodes 1')
  const records = option(options, '--records', 100_000)
  const clusters = join(scratch, 'clusters.json')
  writeFileSync(clusters, JSON.stringify({ local: { contactPoints: [`${node.address}:${CLIENT_PORT}`] } }))
  const gateway = await startGateway(scratch, [], { TESSERA_CLUSTERS: clusters })
  const name = `m${Date.now()}`
  const path = `/namespaces/${name}`
  const cluster = { name: 'local', replication: 1 }
  await call(gateway, '/namespaces', JSON.stringify({ name, storage: { engine: 'cassandra', cluster } }))

  /** What each row of a phase took. @param {string} phase @param {number} rows @param {() => Promise<unknown>} work */
  const measure = async (phase, rows, work) => {
    const [begun, before] = [performance.now(), [pid, gateway.pid].map(processorSeconds)]
    await work()
    const seconds = (performance.now() - begun) / 1000
    const [onNode = 0, onServer = 0] = [pid, gateway.pid].map((id, at) => processorSeconds(id) - (before[at] ?? 0))
    console.error(`${phase}: ${rows} rows in ${seconds.toFixed(1)} s`)
    return {
      [`${phase}PerSecond`]: rows / seconds,
      [`${phase}NodeUs`]: (onNode * 1e6) / rows,
      [`${phase}ServerUs`]: (onServer * 1e6) / rows,
    }
  }
  const lines = (/** @type {number} */ from, /** @type {number} */ to) => rowsOf(from, to)
  const load = (/** @type {number} */ from, /** @type {number} */ to) =>
    call(
      gateway,
      `${path}/import?set=s&key=key&format=ndjson&threads=${THREADS}`,
      lines(from, to),
      'application/x-ndjson',
    )
  const count = (/** @type {number} */ threads) =>
    call(
      gateway,
      `${path}/query`,
      JSON.stringify({
        set: 's',
        threads,
        where: { bin: 'n', op: 'ge', value: 0 },
        aggregate: { all: { op: 'count' } },
      }),
    )
  const index = (/** @type {string} */ bin, /** @type {number} */ threads) =>
    call(gateway, `${path}/indexes?wait=600s`, JSON.stringify({ name: bin, set: 's', bin, kind: 'range', threads }))
  const figures = {
    records,
    ...(await measure('write', records, () => load(0, records))),
    ...(await measure('read', records, () => readAll(gateway, path, records))),
    ...(await measure('scanBy1', records, () => count(1))),
    ...(await measure('scanBy4', records, () => count(4))),
    ...(await measure('buildBy1', records, () => index('n', 1))),
    ...(await measure('buildBy4', records, () => index('m', 4))),
    ...(await measure('indexedWrite', records / 5, () => load(records, records * 1.2))),
  }
  await gateway.stop()
  await stopNode(node)
  return { ...figures, ...bytesOf(join(node.directory, 'data', `ts_${name}`), records * 1.2) }
}

/** @param {Gateway} gateway @param {string} path @param {number} records */
async function readAll(gateway, path, records) {
  for (let from = 0; from < records; from += BATCH) {
    const keys = Array.from({ length: Math.min(BATCH, records - from) }, (_, at) => `"k${from + at}"\n`).join('')
    await call(gateway, `${path}/sets/s/read`, keys, 'application/x-ndjson')
  }
}

/** Records with a text of 1,000 characters that does not compress. @param {number} from @param {number} to */
function rowsOf(from, to) {
  const random = randomOf(from + 1)
  return Array.from({ length: to - from }, (_, at) => {
    const text = Buffer.from(Array.from({ length: 750 }, () => random() * 256)).toString('base64')
    return `${JSON.stringify({ key: `k${from + at}`, n: from + at, m: (from + at) % 1000, text })}\n`
  }).join('')
}

/** @param {Gateway} gateway @param {string} path @param {string} body @param {string} type */
async function call({ url, token }, path, body, type = 'application/json') {
  const headers = { authorization: `Bearer ${token}`, 'content-type': type }
  const response = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body })
  const text = await response.text()
  if (!response.ok) throw new Error(`POST ${path}: ${text}`)
  return text
}

/** @param {number} pid */
function processorSeconds(pid) {
  const after = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(after[11]) + Number(after[12])) / TICKS_PER_SECOND
}

/** Bytes of each record by what they are for. @param {string} keyspace folder @param {number} records */
function bytesOf(keyspace, records) {
  const table = readdirSync(keyspace).find((name) => name.startsWith('records-'))
  const files = table === undefined ? [] : readdirSync(join(keyspace, table)).filter((name) => name.endsWith('.db'))
  const size = (/** @type {(name: string) => boolean} */ wanted) =>
    files.filter(wanted).reduce((sum, name) => sum + statSync(join(keyspace, table ?? '', name)).size, 0) / records
  const ofIndex = (/** @type {string} */ name) => name.includes('SAI')
  return {
    rowBytes: size((name) => !ofIndex(name)),
    indexBytes: size(ofIndex),
    filterBytes: size((name) => name.endsWith('Filter.db')),
  }
}
