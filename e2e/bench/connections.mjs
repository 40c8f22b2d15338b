// A flood of connections: is the gateway up, what does each cost, are others served, on connections that are new each time and on one
// that stays, and does everything go back when the flood has gone?
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { Flood } from './connections-flood.mjs'
import { memory, quantile, statusOf } from './figures.mjs'
import { call, startGateway } from './gateway.mjs'

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {import('./gateway.mjs').Gateway} Gateway */

const PROBE_MS = 20
/** How long to wait for what has to come, s. */
const PATIENCE_S = 120
/** Connections of the bench itself. */
const OWN = 5
const STILL_S = 5
const KINDS = ['part', 'whole', 'busy']

/**
 * @param {string} scratch
 * @param {string[]} options `--connections <n>` in all; `--most <n>`: TESSERA_CONNECTIONS; `--kind part`: nothing, or a part of a head,
 * `whole`: each asks and is answered when it opens and again when all are open, `busy`: each has a request at work, so that none can make
 * room for another
 * @returns {Promise<Figures>}
 */
export async function connections(scratch, options) {
  const count = Number(valueOf(options, '--connections') ?? 100_000)
  const most = valueOf(options, '--most')
  const kind = valueOf(options, '--kind') ?? 'part'
  if (!KINDS.includes(kind)) throw new Error(`--kind is ${KINDS.join(', ')}`)
  // The time that opening them all takes is no reason to close the first ones.
  const patience = { TESSERA_IDLE_TIMEOUT: '1h', TESSERA_BODY_TIMEOUT_MS: '900000' }
  const settings = { ...(kind !== 'part' && patience), ...(most !== undefined && { TESSERA_CONNECTIONS: most }) }
  const gateway = await startGateway(scratch, [], settings)
  const flood = new Flood()
  try {
    await call(gateway, 'POST', '/namespaces', { name: 'held', storage: { engine: 'memory' } })
    const rest = use(gateway)
    const began = performance.now()
    const [fresh, kept] = [probe(gateway, false), probe(gateway, true)]
    const load = await flood.open(gateway, kind, count)
    // The kernel takes connections before the gateway does, and only what they have tells that it took the last one: without room
    // for one more, nobody can ask it.
    await standsStill(async () => JSON.stringify({ ...(await flood.tell()), seconds: 0, files: use(gateway).files }))
    const took = (performance.now() - began) / 1000 - STILL_S
    const cpu = use(gateway).cpuSeconds - rest.cpuSeconds
    const { open, refused } = await flood.tell()
    const again = kind === 'whole' ? await flood.again() : undefined
    const [newOnes, keptOnes] = [fresh(), kept()]
    const held = use(gateway)
    await flood.close()
    const back = await until(() => use(gateway).files <= rest.files + OWN)
    const { connections: counted } = (await statusOf(gateway)).gateway
    const after = use(gateway)
    return {
      connections: load.connected,
      notConnected: load.failed,
      openAtTheEnd: open,
      ...(kind === 'whole' && { answered: load.answered, answeredAgain: again?.answered ?? 0 }),
      refusedWithAnAnswer: refused,
      perSecond: load.connected / took,
      processors: cpu / took,
      microsecondsEach: (cpu / load.connected) * 1e6,
      madeRoom: counted.closed,
      refused: counted.refused,
      restMiB: rest.residentMiB,
      heldMiB: held.residentMiB,
      kibEach: ((held.residentMiB - rest.residentMiB) * 1024) / Math.max(1, held.files - rest.files),
      peakMiB: memory(gateway, 'VmHWM'),
      afterMiB: after.residentMiB,
      restFiles: rest.files,
      heldFiles: held.files,
      afterFiles: after.files,
      allBack: back ? 1 : 0,
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
    await flood.close()
    await gateway.stop()
  }
}

/** @param {string[]} options @param {string} name */
function valueOf(options, name) {
  const at = options.indexOf(name)
  return at < 0 ? undefined : options[at + 1]
}

/** @param {() => boolean} holds */
async function until(holds) {
  const ends = performance.now() + PATIENCE_S * 1000
  while (!holds() && performance.now() < ends) await setTimeout(200)
  return holds()
}

/** Resolves when what `look` sees has been the same for some time. @param {() => Promise<string>} look */
async function standsStill(look) {
  let [seen, since] = ['', performance.now()]
  while (performance.now() - since < STILL_S * 1000) {
    const now = await look()
    if (now !== seen) [seen, since] = [now, performance.now()]
    await setTimeout(200)
  }
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
      if (!stopped) void setTimeout(PROBE_MS).then(ask)
    }
    get(`${url}/healthz`, { agent }, (answer) =>
      answer.resume().once('end', () => {
        if (answer.statusCode === 200) delays.push(performance.now() - began)
        else failures += 1
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

/** What the process uses now. @param {Gateway} gateway */
function use(gateway) {
  const fields = readFileSync(`/proc/${gateway.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return {
    residentMiB: memory(gateway, 'VmRSS'),
    files: readdirSync(`/proc/${gateway.pid}/fd`).length,
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
  }
}
