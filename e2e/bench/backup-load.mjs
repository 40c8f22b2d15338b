// A full backup of a namespace that is written at a steady rate, an incremental one behind changes of 5% of its records, and both
// restored. Every record that comes back is compared: bytes and generation, and whether it was that at the time of the backup.
import { statfsSync } from 'node:fs'
import { get } from 'node:http'
import { compare, currentWithin, lineOf, MEAN_BYTES, Versions } from './backup-records.mjs'
import { SteadyWrites } from './backup-writes.mjs'
import { call, startGateway } from './gateway.mjs'
import { option, word } from './live-load.mjs'

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {import('./gateway.mjs').Gateway} Gateway */

const API = '/namespaces/bench'
const BATCH = 1000
const CHANGED_SHARE = 0.05
/** Of the records that change, so many are deleted, and as many new ones are made. */
const GONE_SHARE = 0.1
const BEFORE_SECONDS = 30
/** Data, its backups and what is restored are on one disk. */
const TIMES_OF_DATA = 4

/**
 * @param {string} scratch
 * @param {string[]} options `--gb <n>`, `--engine <name>`, `--rate <n>` writes a second, `--threads <n>` of the jobs
 * @returns {Promise<Figures>}
 */
export async function backupLoad(scratch, options) {
  const gigabytes = option(options, '--gb', 1)
  const rate = option(options, '--rate', 200)
  const threads = option(options, '--threads', 2)
  const engine = word(options, '--engine') ?? 'device'
  const bytes = gigabytes * 1e9
  const free = statfsSync(scratch)
  if (engine !== 'memory' && free.bavail * free.bsize < TIMES_OF_DATA * bytes)
    throw new Error(`${scratch} has too little room: ${TIMES_OF_DATA * gigabytes} GB are needed`)
  const keys = Math.round(bytes / MEAN_BYTES)
  const gone = Math.round(keys * CHANGED_SHARE * GONE_SHARE)
  const versions = new Versions(keys + gone)
  // What is dropped goes at once: the next restore needs the room.
  const gateway = await startGateway(scratch, [], { TESSERA_UNDO: '0s', TESSERA_OVERLOAD_DELAY: '10s' })
  try {
    await call(gateway, 'POST', '/namespaces', { name: 'bench', storage: storageOf(engine, bytes) })
    const loaded = await timed(() => fill(gateway, versions, 0, keys, () => 1))
    say(`${keys} records loaded in ${loaded.seconds.toFixed(0)} s`)

    const writes = new SteadyWrites(gateway, versions, keys, rate)
    writes.begin()
    await new Promise((resolve) => setTimeout(resolve, BEFORE_SECONDS * 1000))
    const before = writes.take()
    const known = versions.copy()
    const full = await backUp(gateway, { threads })
    await writes.end()
    const during = writes.take()
    // Writes that were sent before `take` and answered after it are among those of `during`.
    const { pointFrom, pointTo } = full.backup
    const may = currentWithin(known, during.writes, Date.parse(pointFrom) - 1, Date.parse(pointTo) + 1)
    say(
      `full: ${full.seconds.toFixed(1)} s, ${during.writes.length} writes meanwhile, p99 ${during.p99Ms.toFixed(1)} ms`,
    )

    const changed = await timed(() => change(gateway, versions, keys, gone))
    const incremental = await backUp(gateway, { threads, base: full.backup.id })
    say(`incremental: ${incremental.seconds.toFixed(1)} s for ${changed.answer} changes`)
    const last = versions.copy()

    const first = await restored(gateway, full.backup.id, threads, versions.of.length, may)
    const second = await restored(gateway, incremental.backup.id, threads, versions.of.length, isOf(last))
    const wrong = [...first.wrong, ...second.wrong]
    if (wrong.length > 0) throw new Error(`${wrong.length} records are wrong: ${wrong.slice(0, 3).join('; ')}`)
    return {
      records: keys,
      loadSeconds: loaded.seconds,
      loadMBPerSecond: bytes / 1e6 / loaded.seconds,
      writesPerSecondOffered: rate,
      writesBefore: before.delays.length,
      writesFailed: before.failed + during.failed,
      p50BeforeMs: before.p50Ms,
      p99BeforeMs: before.p99Ms,
      maxBeforeMs: before.maxMs,
      writesDuring: during.delays.length,
      p50DuringMs: during.p50Ms,
      p99DuringMs: during.p99Ms,
      maxDuringMs: during.maxMs,
      fullSeconds: full.seconds,
      fullMB: full.backup.bytes / 1e6,
      fullMBPerSecond: full.backup.bytes / 1e6 / full.seconds,
      changedRecords: changed.answer,
      incrementalSeconds: incremental.seconds,
      incrementalMB: incremental.backup.bytes / 1e6,
      restoreFullSeconds: first.seconds,
      restoreFullMBPerSecond: full.backup.bytes / 1e6 / first.seconds,
      restoreIncrementalSeconds: second.seconds,
      comparedRecords: first.compared + second.compared,
      wrongRecords: wrong.length,
    }
  } finally {
    await gateway.stop()
  }
}

/** @param {string} text */
const say = (text) => console.error(text)

/** @param {Uint16Array} versions @returns {(key: number, version: number) => boolean} */
const isOf = (versions) => (key, version) => versions[key] === version

/** @param {string} engine @param {number} bytes */
function storageOf(engine, bytes) {
  if (engine === 'memory') return { engine, limitBytes: Math.ceil(bytes * 2) }
  return engine === 'paged' ? { engine, capacityBytes: Math.ceil((bytes * 2) / 2 ** 20) * 2 ** 20 } : { engine }
}

/** @template Answer @param {() => Promise<Answer>} work @returns {Promise<{ answer: Answer, seconds: number }>} */
async function timed(work) {
  const began = performance.now()
  const answer = await work()
  return { answer, seconds: (performance.now() - began) / 1000 }
}

/** @param {Gateway} gateway @param {string} lines */
async function write({ url, token }, lines) {
  const response = await fetch(`${url}/api/v1${API}/sets/kb/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body: lines,
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`a batch answered ${response.status}: ${text.slice(0, 300)}`)
}

/**
 * Brings keys in a row to the version that `versionOf` says, two batches at a time.
 *
 * @param {Gateway} gateway @param {Versions} versions @param {number} from @param {number} to @param {(key: number) => number} versionOf
 */
async function fill(gateway, versions, from, to, versionOf) {
  let next = from
  const work = async () => {
    while (next < to) {
      const [first, end] = [next, Math.min(next + BATCH, to)]
      next = end
      let lines = ''
      for (let key = first; key < end; key += 1) {
        const version = versionOf(key)
        lines += lineOf(key, version)
        versions.of[key] = version
      }
      await write(gateway, lines)
    }
  }
  await Promise.all([work(), work()])
}

/**
 * Changes a share of all records: most get another version, some go, and as many are new. Says how many changed.
 *
 * @param {Gateway} gateway @param {Versions} versions @param {number} keys @param {number} gone
 */
async function change(gateway, versions, keys, gone) {
  const most = Math.round(keys * CHANGED_SHARE) - gone
  const step = keys / most
  let lines = []
  for (let n = 0; n < most; n += 1) {
    const key = Math.floor(n * step)
    const version = n < gone ? 0 : (versions.of[key] ?? 0) + 1
    versions.of[key] = version
    lines.push(lineOf(key, version))
    if (lines.length === BATCH || n === most - 1) {
      await write(gateway, lines.join(''))
      lines = []
    }
  }
  await fill(gateway, versions, keys, keys + gone, () => 1)
  return most + gone
}

/** Waits for a job to be done. @param {Gateway} gateway @param {any} begun @returns {Promise<any>} */
async function done(gateway, begun) {
  let job = begun
  while (job.endedAt === undefined) job = await call(gateway, 'GET', `/jobs/${begun.id}?wait=10s`)
  if (job.state !== 'done') throw new Error(`${job.title ?? job.kind} ended: ${JSON.stringify(job.error)}`)
  return job
}

/** @param {Gateway} gateway @param {object} body */
async function backUp(gateway, body) {
  const { answer, seconds } = await timed(async () =>
    done(gateway, await call(gateway, 'POST', `${API}/backups`, body)),
  )
  const backup = await call(gateway, 'GET', `/backups/${answer.parameters.backup}`)
  return { backup, seconds }
}

/**
 * Restores a backup into a new namespace, compares every record, and drops it.
 *
 * @param {Gateway} gateway @param {string} id @param {number} threads @param {number} keys @param {(key: number, version: number) => boolean} may
 */
async function restored(gateway, id, threads, keys, may) {
  const { seconds } = await timed(async () =>
    done(gateway, await call(gateway, 'POST', `/backups/${id}/restore`, { namespace: 'again', threads })),
  )
  const body = await download(gateway, `/api/v1/namespaces/again/export?set=kb&threads=${threads}`)
  const outcome = await timed(() => compare(body, keys, may))
  say(
    `restored in ${seconds.toFixed(0)} s, ${outcome.answer.compared} compared (${outcome.answer.wrong.length} wrong) in ${outcome.seconds.toFixed(0)} s`,
  )
  await call(gateway, 'DELETE', '/namespaces/again')
  return { ...outcome.answer, seconds }
}

/** @param {Gateway} gateway @param {string} path @returns {Promise<import('node:http').IncomingMessage>} */
function download({ url, token }, path) {
  return new Promise((resolve, reject) => {
    const call = get(`${url}${path}`, { agent: false, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      if (answer.statusCode === 200) resolve(answer)
      else reject(new Error(`${path} answered ${answer.statusCode}`))
    })
    call.on('error', reject)
  })
}
