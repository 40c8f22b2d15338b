// PostgreSQL 15 and Tessera on the same events, in one run and never at once: loads without and with the index kept, builds of
// the index, its size, and the published queries, whose rows have to be the same.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { startGateway } from './gateway.mjs'
import { canonicalRows, difference } from './postgres-rows.mjs'
import { settings, startPostgres } from './postgres-server.mjs'
import * as table from './postgres-table.mjs'
import * as tessera from './postgres-tessera.mjs'

const [rounds, threads] = [3, 2]
const repeats = { indexed: 301, plain: 11 }
const queries = /** @type {const} */ (['all', 'one'])
const classes = /** @type {const} */ ([
  ['Gin', 'jsonb_ops'],
  ['PathOps', 'jsonb_path_ops'],
])

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {import('./gateway.mjs').Gateway} Gateway */
/** @typedef {import('./postgres-server.mjs').Server} Server */
/** @typedef {{ gateway: Gateway, server: Server, scratch: string, file: string, rows: number }} Stage */

/** @param {string} scratch @param {string[]} options `--rows <n>` @returns {Promise<Figures>} */
export async function postgres(scratch, options) {
  const at = options.indexOf('--rows')
  const rows = at < 0 ? 218_934 : Number(options[at + 1])
  // The first event that both queries find is number 1,000, from 0.
  if (!Number.isSafeInteger(rows) || rows < 1001) throw new Error('--rows is a number of events, 1001 or more')
  chmodSync(scratch, 0o711) // the server may run as another user
  const gateway = await startGateway(scratch)
  try {
    const file = join(scratch, 'events.csv')
    console.error(`making ${rows} events`)
    await tessera.sampleEvents(gateway, file, rows)
    const server = await startPostgres(scratch)
    try {
      return await compare({ gateway, server, scratch, file, rows })
    } finally {
      server.stop()
    }
  } finally {
    await gateway.stop()
  }
}

/** @param {Stage} stage @returns {Promise<Figures>} */
async function compare(stage) {
  const postgresVersionNum = Number(await table.ask(stage.server, 'SHOW server_version_num'))
  console.error(`its settings: ${JSON.stringify(settings)}`)
  await table.createTable(stage.server)
  const loads = await plainLoads(stage)
  const builds = await tesseraBuilds(stage)
  const ours = await tesseraQueries(stage)
  await tessera.remove(stage.gateway)
  const plain = await postgresQueries(stage, 'Plain', repeats.plain)
  /** @type {Figures} */
  const indexes = {}
  const rows = { plain: plain.rows, indexed: /** @type {string[][][]} */ ([]) }
  for (const [name, operators] of classes) {
    console.error(`PostgreSQL: ${operators}`)
    indexes[`pgBuild${name}S`] = await table.build(stage.server, operators)
    indexes[`pg${name}IndexBytes`] = await table.indexBytes(stage.server)
    const asked = await postgresQueries(stage, name, repeats.indexed)
    Object.assign(indexes, asked.figures)
    rows.indexed.push(asked.rows)
    await table.drop(stage.server)
  }
  const kept = await indexedLoads(stage)
  const figures = { ...loads, ...kept, ...builds, ...indexes, ...plain.figures, ...ours.figures }
  return { rows: stage.rows, postgresVersionNum, ...figures, ...ratios(figures), ...equal(ours.rows, rows) }
}

/** In turn, and the medians. @param {Stage} stage @returns {Promise<Figures>} */
async function plainLoads({ server, gateway, file, rows }) {
  /** @type {[number[], number[]]} */
  const took = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    took[0].push(await table.load(server, file))
    if (round > 0) await tessera.remove(gateway)
    await tessera.create(gateway)
    took[1].push(await tessera.load(gateway, file, rows, threads))
    console.error(`load ${round + 1} of ${rounds}: PostgreSQL ${took[0].at(-1)} s, Tessera ${took[1].at(-1)} s`)
  }
  return { pgLoadRowsPerSecond: rows / median(took[0]), tesseraLoadRowsPerSecond: rows / median(took[1]) }
}

/** The last index stays. @param {Stage} stage @returns {Promise<Figures>} */
async function tesseraBuilds({ gateway }) {
  /** @type {[number[], number[]]} */
  const took = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0) await tessera.drop(gateway)
    took[0].push(await tessera.build(gateway, 1))
    await tessera.drop(gateway)
    took[1].push(await tessera.build(gateway, 2))
    console.error(`build ${round + 1} of ${rounds}: 1 thread ${took[0].at(-1)} s, 2 threads ${took[1].at(-1)} s`)
  }
  return {
    tesseraBuild1S: median(took[0]),
    tesseraBuild2S: median(took[1]),
    tesseraIndexBytes: await tessera.indexBytes(gateway),
  }
}

/** With the index and without it, which is there all the time. @param {Stage} stage */
async function tesseraQueries({ gateway }) {
  /** @type {Figures} */
  const figures = {}
  const rows = { plain: /** @type {string[][]} */ ([]), indexed: /** @type {string[][]} */ ([]) }
  for (const [kind, useIndex] of /** @type {const} */ ([
    ['indexed', 'auto'],
    ['plain', 'never'],
  ])) {
    for (const query of queries) {
      const times = []
      for (let time = 0; time < repeats[kind]; time += 1) {
        const asked = await tessera.ask(gateway, query, useIndex)
        times.push(asked.summary.elapsedMs)
        if (time > 0) continue
        rows[kind].push(canonicalRows(asked.rows, ({ bins }) => bins))
        console.error(`Tessera: query ${query}, ${kind}: by ${asked.summary.method}`)
      }
      figures[`tesseraQuery${capital(query)}${capital(kind)}P50Ms`] = median(times)
    }
  }
  return { figures, rows }
}

/** @param {Stage} stage @param {string} name of the index @param {number} times */
async function postgresQueries({ server, scratch }, name, times) {
  await table.settle(server)
  /** @type {Figures} */
  const figures = {}
  const rows = []
  for (const query of queries) {
    const uses = (await table.usesIndex(server, query)) ? 'by its index' : 'by no index'
    console.error(`PostgreSQL: query ${query}, ${name}: ${uses}`)
    figures[`pgQuery${capital(query)}${name}P50Ms`] = median(await table.times(server, scratch, query, times))
    rows.push(canonicalRows(await table.rowsOf(server, query)))
  }
  return { figures, rows }
}

/** @param {Stage} stage @returns {Promise<Figures>} */
async function indexedLoads({ server, gateway, file, rows }) {
  /** @type {Figures} */
  const figures = {}
  for (const [name, operators] of classes) {
    for (const fastupdate of /** @type {const} */ (['on', 'off'])) {
      console.error(`PostgreSQL: load with ${operators} kept, fastupdate ${fastupdate}`)
      await table.ask(server, 'TRUNCATE events')
      await table.build(server, operators, fastupdate)
      figures[`pgLoad${name}Fastupdate${capital(fastupdate)}RowsPerSecond`] = rows / (await table.load(server, file))
      await table.drop(server)
    }
  }
  const took = []
  for (let round = 0; round < rounds; round += 1) {
    await tessera.create(gateway)
    await tessera.build(gateway, threads)
    took.push(await tessera.load(gateway, file, rows, threads))
    await tessera.remove(gateway)
  }
  const best = Math.max(...Object.values(figures))
  return { ...figures, pgLoadIndexedRowsPerSecond: best, tesseraLoadIndexedRowsPerSecond: rows / median(took) }
}

/** How many times as fast; the build of Tessera is that with two threads. @param {Figures} figures @returns {Figures} */
function ratios(figures) {
  const over = (/** @type {string} */ a, /** @type {string} */ b) =>
    (figures[a] ?? Number.NaN) / (figures[b] ?? Number.NaN)
  return {
    speedup2: over('tesseraBuild1S', 'tesseraBuild2S'),
    buildVsGin: over('pgBuildGinS', 'tesseraBuild2S'),
    buildVsPathOps: over('pgBuildPathOpsS', 'tesseraBuild2S'),
    loadVsPg: over('tesseraLoadRowsPerSecond', 'pgLoadRowsPerSecond'),
    loadIndexedVsPg: over('tesseraLoadIndexedRowsPerSecond', 'pgLoadIndexedRowsPerSecond'),
  }
}

/**
 * 1 where both systems gave the same rows, and with the index where both of PostgreSQL's did; else 0, and the command fails.
 * @param {{ plain: string[][], indexed: string[][] }} ours of each query
 * @param {{ plain: string[][], indexed: string[][][] }} theirs of each index, of each query
 * @returns {Figures}
 */
function equal(ours, theirs) {
  /** @type {Figures} */
  const figures = {}
  for (const [at, query] of queries.entries()) {
    figures[`rows${capital(query)}`] = ours.plain[at]?.length ?? 0
    for (const [kind, all] of /** @type {const} */ ([
      ['indexed', theirs.indexed],
      ['plain', [theirs.plain]],
    ])) {
      const differ = all.map((found) => difference(ours[kind][at] ?? [], found[at] ?? [])).find((one) => one)
      figures[`rowsEqual${capital(query)}${capital(kind)}`] = differ === undefined ? 1 : 0
      if (differ === undefined) continue
      console.error(`query ${query}, ${kind}: Tessera and PostgreSQL differ: ${differ}`)
      process.exitCode = 1
    }
  }
  return figures
}

/** @param {number[]} values */
function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN
}

/** @param {string} word */
const capital = (word) => `${word[0]?.toUpperCase()}${word.slice(1)}`
