// How exact the time left of an index build is, and how soon an abort ends it and gives its memory back, over HTTP.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { quantile } from './figures.mjs'
import { call, startGateway } from './gateway.mjs'
import { option } from './live-load.mjs'

const MIB = 1024 * 1024
/** Engines, and how many builds of each come to their end. */
const ROUNDS = { memory: 5, device: 1, paged: 1 }
/** Between two looks at a build. */
const LOOK_MS = 50
/** Looks from this share of the records on count, and those before so much time is left. */
const FROM = 0.25
const LEFT_LEAST_SECONDS = 0.25
/** Between two looks at a build that is to be aborted: its last records may take less than a look. */
const ABORT_LOOK_MS = 5
/** Builds that may end before they are aborted. */
const TOO_FAST = 10
/** How far a build is when it is aborted. */
const ABORTS = [0.1, 0.5, 0.9]
/** What may be left of the memory that a build took, as a share. */
const KEPT = 0.1
const PATIENCE_MS = 30_000

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {import('./gateway.mjs').Gateway} Gateway */
/** @typedef {{ id: string, state: string, done: number, total?: number, etaSeconds?: number, etaMostSeconds?: number, etaLeastSeconds?: number }} Job */
/** @typedef {{ at: number, job: Job }} Look */

/**
 * Figures by engine: `errorPct` of the time left (median, 95th percentile, worst), `insidePct` of the looks whose range held the
 * truth; `abortMs` until the job has ended (worst) and `spaceMs` until its memory is back (worst).
 *
 * @param {string} scratch @param {string[]} options `--rows <n>` `--threads <n>` @returns {Promise<Figures>}
 */
export async function buildLeft(scratch, options) {
  const rows = option(options, '--rows', 400_000)
  const threads = option(options, '--threads', 2)
  /** @type {Figures} */
  const figures = { rows, threads }
  for (const [engine, rounds] of Object.entries(ROUNDS)) {
    const gateway = await startGateway(join(scratch, engine))
    try {
      await fill(gateway, engine, rows)
      /** @type {number[]} */
      const errors = []
      let [inside, all] = [0, 0]
      for (let round = 0; round < rounds; round += 1) {
        const { looks, ended } = await build(gateway, threads, () => Promise.resolve())
        for (const { at, job } of looks) {
          const left = (ended - at) / 1000
          if (job.etaSeconds === undefined || left < LEFT_LEAST_SECONDS) continue
          if (job.done < FROM * (job.total ?? Infinity)) continue
          errors.push((Math.abs(job.etaSeconds - left) / left) * 100)
          all += 1
          if ((job.etaLeastSeconds ?? Infinity) <= left && left <= (job.etaMostSeconds ?? 0)) inside += 1
        }
        figures[`${engine}BuildSeconds`] = (ended - (looks[0]?.at ?? ended)) / 1000
        await call(gateway, 'DELETE', '/namespaces/n/indexes/doc')
      }
      errors.sort((a, b) => a - b)
      figures[`${engine}Looks`] = all
      figures[`${engine}ErrorPct`] = quantile(errors, 0.5)
      figures[`${engine}P95ErrorPct`] = quantile(errors, 0.95)
      figures[`${engine}MostErrorPct`] = errors.at(-1) ?? 0
      figures[`${engine}InsidePct`] = (inside / Math.max(all, 1)) * 100
      const aborts = []
      for (const share of ABORTS) aborts.push(await abortedInTime(gateway, threads, share))
      figures[`${engine}AbortMs`] = Math.max(...aborts.map(({ endedMs }) => endedMs))
      figures[`${engine}SpaceMs`] = Math.max(...aborts.map(({ spaceMs }) => spaceMs))
      figures[`${engine}TakenMiB`] = Math.max(...aborts.map(({ takenMiB }) => takenMiB))
      console.error(engine, Object.fromEntries(Object.entries(figures).filter(([name]) => name.startsWith(engine))))
    } finally {
      await gateway.stop()
    }
  }
  return figures
}

/** Documents as an application has them: a few fields, lists and texts. @param {Gateway} gateway @param {string} engine @param {number} rows */
async function fill(gateway, engine, rows) {
  const storage = { engine, ...(engine === 'paged' && { cacheBytes: 256 * MIB }) }
  await call(gateway, 'POST', '/namespaces', { name: 'n', storage })
  const batch = 50_000
  for (let from = 0; from < rows; from += batch) {
    const lines = Array.from({ length: Math.min(batch, rows - from) }, (_, at) => line(from + at))
    const answer = await fetch(`${gateway.url}/api/v1/namespaces/n/import?set=s&key=id`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    })
    if (!answer.ok) throw new Error(await answer.text())
    await answer.arrayBuffer()
  }
}

/** @param {number} n */
function line(n) {
  const tags = Array.from({ length: n % 7 }, (_, at) => `tag-${(n * 31 + at * 17) % 500}`)
  const lines = Array.from({ length: 1 + (n % 5) }, (_, at) => ({ sku: `S${(n * 7 + at) % 9973}`, count: at + 1 }))
  const doc = { customer: `c${n % 50_021}`, city: `city-${n % 311}`, tags, lines, note: 'x'.repeat(n % 120) }
  return JSON.stringify({ id: n, doc })
}

/**
 * Builds the index and looks at its job until it has ended. @param {Gateway} gateway @param {number} threads
 * @param {(job: Job) => Promise<unknown>} meanwhile @returns {Promise<{ looks: Look[], ended: number, job: Job }>}
 */
async function build(gateway, threads, meanwhile, lookMs = LOOK_MS) {
  const spec = { name: 'doc', set: 's', bin: 'doc', kind: 'document', threads }
  /** @type {Job} */
  let job = await call(gateway, 'POST', '/namespaces/n/indexes', spec)
  const began = performance.now()
  /** @type {Look[]} */
  const looks = []
  for (let next = began; ; next += lookMs) {
    job = await call(gateway, 'GET', `/jobs/${job.id}`)
    const at = performance.now()
    if (!['queued', 'running', 'paused'].includes(job.state)) return { looks, ended: at, job }
    looks.push({ at, job })
    await meanwhile(job)
    await delay(Math.max(0, next + lookMs - performance.now()))
  }
}

/** @param {Gateway} gateway @param {number} threads @param {number} share */
async function abortedInTime(gateway, threads, share) {
  for (let round = 0; round < TOO_FAST; round += 1) {
    const figures = await aborted(gateway, threads, share)
    if (figures !== undefined) return figures
    await call(gateway, 'DELETE', '/namespaces/n/indexes/doc')
  }
  throw new Error(`${TOO_FAST} builds ended before they were aborted: use more --rows`)
}

/** Undefined if the build has ended before. @param {Gateway} gateway @param {number} threads @param {number} share */
async function aborted(gateway, threads, share) {
  await delay(1000)
  const before = resident(gateway)
  let [asked, most] = [0, before]
  const abort = async (/** @type {Job} */ { id, done, total }) => {
    most = Math.max(most, resident(gateway))
    if (asked > 0 || done < share * (total ?? Infinity)) return
    asked = performance.now()
    // The answer says so if it has just ended; so does its state.
    await call(gateway, 'DELETE', `/jobs/${id}`).catch(() => undefined)
  }
  const { ended, job } = await build(gateway, threads, abort, ABORT_LOOK_MS)
  if (job.state !== 'aborted') return undefined
  const enough = before + KEPT * (most - before)
  while (resident(gateway) > enough && performance.now() - asked < PATIENCE_MS) await delay(5)
  const { items } = await call(gateway, 'GET', '/namespaces/n/indexes')
  if (items.length > 0) throw new Error('an aborted build left an index')
  return { endedMs: ended - asked, spaceMs: performance.now() - asked, takenMiB: (most - before) / MIB }
}

/** @param {Gateway} gateway */
const resident = ({ pid }) => Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * 4096
