// Ten million small rows into a namespace on `device`, and out again, in each format of a file. The rows are made while they
// are sent and compared while they come back, so no file is needed. The index is in memory and grows with the rows; what the
// gateway needs besides is sampled.
import { readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { fileOf, formats, readExport, Tally } from './file-rows.mjs'
import { startGateway } from './gateway.mjs'
import { option } from './live-load.mjs'

const API = '/api/v1/namespaces'
const MIB = 2 ** 20
/** Most bytes of the namespace on its disk. */
const CAPACITY = 6 * 2 ** 30
const SAMPLE_MS = 250

const types = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  msgpack: 'application/msgpack',
}

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {import('./gateway.mjs').Gateway} Gateway */
/** @typedef {import('./file-rows.mjs').Format} Format */

/**
 * @param {string} scratch
 * @param {string[]} options `--rows <n>`, `--threads <n>`
 * @returns {Promise<Figures>}
 */
export async function tenMillion(scratch, options) {
  const rows = option(options, '--rows', 10_000_000)
  const threads = option(options, '--threads', 2)
  /** @type {Figures} */
  const figures = { rows }
  for (const format of formats) {
    // A process of its own each, so that none reuses what another one has let go.
    const gateway = await startGateway(join(scratch, format))
    try {
      const measured = await bothWays(gateway, format, { rows, threads })
      console.error(`${format}: ${JSON.stringify(measured)}`)
      Object.assign(figures, measured)
    } finally {
      await gateway.stop()
    }
    rmSync(join(scratch, format), { recursive: true })
  }
  return figures
}

/**
 * An import of one format into a new namespace, and an export of the same format.
 * @param {Gateway} gateway @param {Format} format @param {{ rows: number, threads: number }} size @returns {Promise<Figures>}
 */
async function bothWays(gateway, format, { rows, threads }) {
  await asked(gateway, 'POST', API, { name: 'bench', storage: { engine: 'device', capacityBytes: CAPACITY } })
  const watch = new Watch(gateway)
  const imported = await watch.during(async () => {
    const query = `set=rows&format=${format}&threads=${threads}`
    return load(gateway, `${API}/bench/import?${query}`, types[format], Readable.from(fileOf(format, rows)))
  })
  const { inserted, rejectedTotal } = imported.answer
  if (inserted !== rows || rejectedTotal !== 0) throw new Error(`${format}: ${inserted} of ${rows} rows were inserted`)
  const { memory, device } = await asked(gateway, 'GET', `${API}/bench`)
  const tally = new Tally(rows)
  const exported = await watch.during(async () => {
    const body = await download(gateway, `${API}/bench/export?set=rows&format=${format}&threads=${threads}`)
    await readExport(format, body, tally)
  })
  const { found, wrong } = tally
  if (found !== rows || wrong > 0) throw new Error(`${format}: ${found} of ${rows} rows came back, ${wrong} are wrong`)
  return {
    [`${format}ImportRowsPerSecond`]: rows / imported.seconds,
    ...named(`${format}Import`, imported),
    [`${format}ExportRowsPerSecond`]: rows / exported.seconds,
    ...named(`${format}Export`, exported),
    [`${format}MemoryBytesPerRow`]: imported.grownBytes / rows,
    indexBytesPerRow: memory.primaryIndex / rows,
    diskBytesPerRow: device.liveBytes / rows,
  }
}

/** @param {string} name @param {Watched<unknown>} watched @returns {Figures} */
const named = (name, { earlyMiB, lateMiB }) => ({ [`${name}EarlyMiB`]: earlyMiB, [`${name}LateMiB`]: lateMiB })

/**
 * @template Answer
 * @typedef {{ answer: Answer, seconds: number, earlyMiB: number, lateMiB: number, grownBytes: number }} Watched
 */

/** What the gateway has in memory, less what it says that indexes have. */
class Watch {
  #gateway

  /** @param {Gateway} gateway */
  constructor(gateway) {
    this.#gateway = gateway
  }

  /**
   * The most in the first and in the second half of some work, above what there was before it.
   * @template Answer
   * @param {() => Promise<Answer>} work @returns {Promise<Watched<Answer>>}
   */
  async during(work) {
    const before = await this.#memory()
    const ended = new AbortController()
    /** @type {number[]} */
    const samples = []
    const sample = async () => {
      const now = await this.#memory()
      samples.push(now.resident - now.index - (before.resident - before.index))
      return now
    }
    const sampling = (async () => {
      while (!ended.signal.aborted) {
        await sample()
        await delay(SAMPLE_MS)
      }
    })()
    sampling.catch(() => undefined)
    const began = performance.now()
    try {
      const answer = await work()
      const seconds = (performance.now() - began) / 1000
      ended.abort()
      await sampling
      const last = await sample()
      const half = Math.floor(samples.length / 2)
      return {
        answer,
        seconds,
        earlyMiB: Math.max(...samples.slice(0, half)) / MIB,
        lateMiB: Math.max(...samples.slice(half)) / MIB,
        grownBytes: last.resident - before.resident,
      }
    } finally {
      ended.abort()
    }
  }

  async #memory() {
    const { memory } = await asked(this.#gateway, 'GET', `${API}/bench`)
    const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${this.#gateway.pid}/status`, 'utf8'))?.[1]
    return { resident: Number(kib) * 1024, index: memory.primaryIndex }
  }
}

/** @param {Gateway} gateway @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>} */
async function asked({ url, token }, method, path, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-confirm': 'bench' }
  const response = await fetch(url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** Sends a body as fast as it is taken. @param {Gateway} gateway @param {string} path @param {string} type @param {Readable} body @returns {Promise<any>} */
function load({ url, token }, path, type, body) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type }
    const sent = request(url + path, { method: 'POST', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (/** @type {string} */ part) => (text += part))
      response.on('end', () =>
        response.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(`POST ${path}: ${text}`)),
      )
    })
    sent.on('error', reject)
    body.on('error', reject)
    body.pipe(sent)
  })
}

/** @param {Gateway} gateway @param {string} path @returns {Promise<import('node:http').IncomingMessage>} */
function download({ url, token }, path) {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { headers: { authorization: `Bearer ${token}` } }, (response) => {
      if (response.statusCode === 200) resolve(response)
      else reject(new Error(`GET ${path}: ${response.statusCode}`))
    })
    sent.on('error', reject)
    sent.end()
  })
}
