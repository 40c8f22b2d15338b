// Everything at once: live clients, kept jobs, exports that nobody reads, a scan and an import, and beside them GETs of records at three
// times the rate that saturates the gateway, or as many as `--times` says. Is it still answering, how much of its peak does it serve, and when is it back?
import { Agent, get, request } from 'node:http'
import { connect } from 'node:net'
import { memory, processorSeconds, quantile, statusOf } from './figures.mjs'
import { startGateway } from './gateway.mjs'
import { startLoad } from './load-process.mjs'

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {import('./gateway.mjs').Gateway} Gateway */
/** @typedef {import('./overload-load.mjs').Run} Run */
/** @typedef {import('./overload-load.mjs').Outcome} Outcome */

const namespace = 'bench'
const [records, valueBytes] = [100_000, 1000]
const [liveClients, keptJobs, unreadExports, connections] = [200, 500, 400, 1000]
const [peakConnections, overRate] = [64, 3]
/** Share of the peak at which the times of an unloaded gateway are measured. */
const UNLOADED = 0.1
const PROBE_MS = 10
/** What is served in a short look changes with what runs beside it: the looks afterwards are compared with the median of as many before. */
const LOOKS = 21
const LOOK_SECONDS = 0.5
/** Full speed is this share of it. */
const FULL = 0.95

/** @param {string} scratch @param {string[]} options `--seconds <n>` of the overload, `--times <n>` the peak, `--open <n>` requests of a connection at once @returns {Promise<Figures>} */
export async function overload(scratch, options) {
  const at = options.indexOf('--seconds')
  const seconds = at < 0 ? 20 : Number(options[at + 1])
  const timesAt = options.indexOf('--times')
  const times = timesAt < 0 ? overRate : Number(options[timesAt + 1])
  const openAt = options.indexOf('--open')
  const openMax = openAt < 0 ? {} : { openMax: Number(options[openAt + 1]) }
  const gateway = await startGateway(scratch)
  const { hostname: host, port } = new URL(gateway.url)
  const load = startLoad()
  /** @type {(() => void)[]} */
  const stops = [load.stop]
  try {
    await fill(gateway)
    await keepJobs(gateway)
    const restMiB = memory(gateway, 'VmRSS')
    const live = liveOf(gateway)
    stops.push(live.stop, background(gateway))
    const path = `/api/v1/namespaces/${namespace}/sets/kb/records/{key}`
    /** @param {Partial<Run>} more */
    const drive = (more) =>
      load.drive({
        host,
        port: Number(port),
        token: gateway.token,
        path,
        keys: records,
        connections: peakConnections,
        seconds: 5,
        rate: 0,
        ...more,
      })
    await drive({ seconds: 2 })
    const peaks = []
    const peaksBegan = processorSeconds(gateway)
    let peakGood = 0
    for (let round = 0; round < 3; round += 1) {
      const outcome = await drive({})
      peaks.push(goodput(outcome))
      peakGood += outcome.good
    }
    const peakMicros = ((processorSeconds(gateway) - peaksBegan) / peakGood) * 1e6
    const peak = Math.max(...peaks)
    console.error(`peak beside scan, import and ${liveClients} live clients: ${peaks.map(Math.round).join(', ')}/s`)

    const calm = await drive({ rate: UNLOADED * peak })
    const looks = []
    for (let n = 0; n < LOOKS; n += 1) looks.push(goodput(await drive({ seconds: LOOK_SECONDS })))
    looks.sort((a, b) => a - b)
    const usual = quantile(looks, 0.5)
    console.error(
      `in looks of ${LOOK_SECONDS} s: ${looks.map((look) => Math.round((look / usual) * 100)).join(', ')}% of ${Math.round(usual)}/s`,
    )

    const exports = unread(gateway)
    stops.push(exports.stop)
    const probe = probeHealth(gateway)
    const before = processorSeconds(gateway)
    const over = await drive({ connections, seconds, rate: times * peak, ...openMax })
    const overSeconds = processorSeconds(gateway) - before
    const delays = probe()
    console.error(`overload: ${JSON.stringify(over)}; exports ${JSON.stringify(exports.statuses())}`)
    const status = await statusOf(gateway)
    exports.stop()
    const secondsToFull = await untilFull(() => drive({ seconds: LOOK_SECONDS }), usual)
    return {
      peakPerSecond: peak,
      offeredPerSecond: over.offered / over.seconds,
      goodputPerSecond: goodput(over),
      goodputShare: goodput(over) / peak,
      peakProcessorMicros: peakMicros,
      goodProcessorMicros: (overSeconds / over.good) * 1e6,
      unloadedP99Ms: calm.p99Ms,
      servedP50Ms: over.p50Ms,
      servedP99Ms: over.p99Ms,
      servedP99Times: over.p99Ms / calm.p99Ms,
      refusedPerSecond: over.refused / over.seconds,
      otherAnswers: over.other,
      healthP50Ms: quantile(delays, 0.5),
      healthP99Ms: quantile(delays, 0.99),
      healthMaxMs: quantile(delays, 1),
      healthProbes: delays.length,
      exportsServed: exports.statuses()['200'] ?? 0,
      exportsRefused: exports.statuses()['503'] ?? 0,
      liveClientsLeft: live.left(),
      loopP99Ms: status.gateway.loopDelay.p99Ms,
      streamHeldMiB: status.gateway.streams.heldBytes / 2 ** 20,
      restMiB,
      peakMiB: memory(gateway, 'VmHWM'),
      secondsToFull,
    }
  } finally {
    for (const stop of stops) stop()
    await gateway.stop()
  }
}

/** @param {Outcome} outcome */
const goodput = ({ good, seconds }) => good / seconds

/** @param {() => Promise<Outcome>} drive @param {number} usual */
async function untilFull(drive, usual) {
  const began = performance.now()
  for (;;) {
    const reached = goodput(await drive())
    const passed = (performance.now() - began) / 1000
    console.error(`${passed.toFixed(1)} s after it: ${Math.round((reached / usual) * 100)}% of what is usual`)
    if (reached >= FULL * usual) return passed
    if (passed > 30) return Infinity
  }
}

/** @param {Gateway} gateway @param {string} path @param {string} type @param {string} body */
async function sent({ url, token }, path, type, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': type }
  const response = await fetch(`${url}/api/v1/${path}`, { method: 'POST', headers, body })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
  return text
}

/** @param {Gateway} gateway */
async function fill(gateway) {
  await sent(
    gateway,
    'namespaces',
    'application/json',
    JSON.stringify({ name: namespace, storage: { engine: 'memory' } }),
  )
  for (let first = 0; first < records; first += 5000) {
    let lines = ''
    for (let key = first; key < first + 5000; key += 1) lines += `${row(String(key))}\n`
    await sent(gateway, `namespaces/${namespace}/sets/kb/records`, 'application/x-ndjson', lines)
  }
}

/** @param {string} key */
const row = (key) => JSON.stringify({ key, bins: { value: key.padEnd(valueBytes, 'v') } })

/** Jobs that have ended and are kept. @param {Gateway} gateway */
async function keepJobs(gateway) {
  for (let n = 0; n < keptJobs; n += 1)
    await sent(gateway, `namespaces/${namespace}/scan`, 'application/json', '{"set":"kb","limit":1}')
}

/** Clients of live figures that read them. @param {Gateway} gateway */
function liveOf({ url, token }) {
  let left = 0
  const requests = Array.from({ length: liveClients }, () => {
    const call = get(
      `${url}/api/v1/live`,
      { headers: { authorization: `Bearer ${token}` }, agent: false },
      (answer) => {
        left += 1
        answer.resume()
        answer.once('close', () => (left -= 1))
        answer.on('error', () => undefined)
      },
    )
    call.on('error', () => undefined)
    return call
  })
  return { left: () => left, stop: () => requests.forEach((call) => call.destroy()) }
}

/** Asks for a job until it has ended. @param {Gateway} gateway @param {string} id */
async function ended({ url, token }, id) {
  for (;;) {
    const response = await fetch(`${url}/api/v1/jobs/${id}`, { headers: { authorization: `Bearer ${token}` } })
    const { endedAt } = /** @type {{ endedAt?: string }} */ (await response.json())
    if (endedAt !== undefined) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** A scan after the other, and an import without an end. @param {Gateway} gateway */
function background(gateway) {
  let stopped = false
  const scans = async () => {
    for (;;) {
      if (stopped) return
      const { id } = JSON.parse(
        await sent(gateway, 'jobs', 'application/json', JSON.stringify({ kind: 'scan', namespace })),
      )
      await ended(gateway, id)
    }
  }
  scans().catch((error) => stopped || console.error(`no scan runs any more: ${error}`))
  const upload = request(`${gateway.url}/api/v1/namespaces/${namespace}/import?set=imported&format=ndjson&key=id`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/x-ndjson' },
  })
  upload.on('error', () => undefined)
  const pad = 'v'.repeat(valueBytes)
  // The same rows over and over, so that memory tells of the load and not of what was loaded.
  const rows = Array.from({ length: 200 }, (_, n) => `{"id":"${n}","value":"${pad}"}\n`).join('')
  const write = () => {
    while (upload.write(rows));
    if (!stopped) upload.once('drain', write)
  }
  write()
  return () => {
    stopped = true
    upload.destroy()
  }
}

/** Exports that are asked for and not read. @param {Gateway} gateway */
function unread({ url, token }) {
  const { hostname, port } = new URL(url)
  /** @type {Record<string, number>} */
  const statuses = {}
  const sockets = Array.from({ length: unreadExports }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.once('data', (chunk) => {
      socket.pause()
      const status = chunk.toString('latin1', 9, 12)
      statuses[status] = (statuses[status] ?? 0) + 1
    })
    const head = `GET /api/v1/namespaces/${namespace}/export?set=kb HTTP/1.1\r\nhost: ${hostname}\r\n`
    socket.write(`${head}authorization: Bearer ${token}\r\n\r\n`)
    return socket
  })
  return { statuses: () => statuses, stop: () => sockets.forEach((socket) => socket.destroy()) }
}

/** Asks for /healthz again and again; the result ends that and has what each took, ms. @param {Gateway} gateway */
function probeHealth({ url }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  /** @type {number[]} */
  const delays = []
  let stopped = false
  const ask = () => {
    const began = performance.now()
    const done = () => {
      delays.push(performance.now() - began)
      if (!stopped) setTimeout(ask, PROBE_MS)
    }
    get(`${url}/healthz`, { agent }, (answer) => answer.resume().once('end', done)).on('error', done)
  }
  ask()
  return () => {
    stopped = true
    agent.destroy()
    return [...delays].sort((a, b) => a - b)
  }
}
