// What a namespace on a cluster costs beside a program that has the driver alone: inside the process, by the core, and
// over HTTP, by the built gateway. Both sides take turns, and figures are medians of the rounds.
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../../server/setup.mjs'
import { startGateway } from './gateway.mjs'

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {{ perSecond: number, processorUs: number }} Figure */

const [set, keysOfRead, linesOfWrite, ticksPerSecond] = ['s', 256, 500, 100]

/** @param {string} scratch @param {string[]} words @returns {Promise<Figures>} */
export async function besideDriver(scratch, words) {
  const options = /** @type {const} */ ({ type: 'string' })
  const { values } = parseArgs({
    args: words,
    options: { points: options, copies: options, records: options, rounds: options, reads: options, writes: options },
  })
  const {
    points = '127.0.0.1',
    copies = '1',
    records = '20000',
    rounds = '5',
    reads = '10000',
    writes = '2000',
  } = values
  const program = build()
  const common = ['--points', points, '--copies', copies, '--records', records, '--writes', writes]
  const inside = await figuresOf(program, [...common, '--rounds', rounds, '--reads', '20000'])
  const overHttp = await throughGateway(scratch, program, { common, points, copies, records, rounds, reads, writes })
  return { ...flat(inside, ''), ...overHttp }
}

/** @returns {string} */
function build() {
  const host = execFileSync('rustc', ['--print', 'host-tuple'], { encoding: 'utf8' }).trim()
  const cargo = ['build', '--release', '--manifest-path', 'native/Cargo.toml', '--target', host]
  const what = ['--package', 'tessera-cluster', '--features', 'beside-driver', '--bin', 'beside-driver']
  execFileSync('cargo', [...cargo, ...what], { cwd: root, stdio: ['ignore', 2, 2] })
  return join(root, 'native/target', host, 'release/beside-driver')
}

/** @param {string} program @param {string[]} words @returns {Promise<Record<string, Record<string, number>>>} */
function figuresOf(program, words) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => (text += chunk))
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(text))
      else reject(new Error(`beside-driver ended with ${code}`))
    })
  })
}

/** @param {Record<string, Record<string, number>>} figures @param {string} prefix @returns {Figures} */
function flat(figures, prefix) {
  const all = Object.entries(figures).flatMap(([phase, of]) =>
    Object.entries(of).map(([name, value]) => [`${prefix}${phase}, ${name}`, value]),
  )
  return Object.fromEntries(all)
}

/**
 * @param {string} scratch @param {string} program
 * @param {{ common: string[], points: string, copies: string, records: string, rounds: string, reads: string, writes: string }} how
 */
async function throughGateway(scratch, program, how) {
  const file = join(scratch, 'clusters.json')
  writeFileSync(file, JSON.stringify({ local: { contactPoints: how.points.split(',') } }))
  process.env['TESSERA_CLUSTERS'] = file
  const gateway = await startGateway(scratch)
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const name = `beside${process.pid}`
  const records = Number(how.records)

  /** @param {string} method @param {string} path @param {string} [body] @param {string} [type] @returns {Promise<string>} */
  const send = (method, path, body, type = 'application/json') =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${gateway.token}`,
        ...(body === undefined ? {} : { 'content-type': type }),
      }
      const sent = request(`${gateway.url}/api/v1/${path}`, { method, agent, headers }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => (text += chunk))
        answer.once('end', () => {
          if ((answer.statusCode ?? 500) < 300) resolve(text)
          else reject(new Error(`${path} answered ${answer.statusCode}: ${text}`))
        })
      })
      sent.once('error', reject)
      sent.end(body)
    })
  const at = `namespaces/${name}/sets/${set}`
  const ndjson = 'application/x-ndjson'
  /** @param {number} number */
  const bins = (number) => JSON.stringify({ v: 'x'.repeat(1000), n: number })
  /** @param {number[]} numbers */
  const write = (numbers) =>
    send(
      'POST',
      `${at}/records`,
      numbers.map((number) => `{"key":"${number}","bins":${bins(number)}}\n`).join(''),
      ndjson,
    )
  /** @param {number} many */
  const some = (many) => Array.from({ length: many }, (_, at) => (at * 7919) % records)
  const reads = some(Number(how.reads))
  const writes = some(Number(how.writes))
  /** @type {[string, number, () => Promise<unknown>][]} */
  const phases = [
    ['http GET', reads.length, () => each(reads, 32, (number) => send('GET', `${at}/records/${number}`))],
    [
      'http batch reads',
      reads.length,
      () => each(chunks(reads, keysOfRead), 4, (keys) => send('POST', `${at}/read`, JSON.stringify(keys.map(String)))),
    ],
    [
      'http PUT',
      writes.length,
      () => each(writes, 32, (number) => send('PUT', `${at}/records/${number}`, `{"bins":${bins(number)}}`)),
    ],
    ['http batch writes', writes.length, () => each(chunks(writes, linesOfWrite), 1, write)],
    ['http scan', records, () => send('POST', `namespaces/${name}/scan`, `{"set":"${set}"}`)],
  ]
  /** @type {Map<string, Figure[]>} */
  const measured = new Map()
  /** @param {string} phase @param {Figure} figure */
  const note = (phase, figure) => measured.set(phase, [...(measured.get(phase) ?? []), figure])
  try {
    const cluster = { name: 'local', replication: Number(how.copies) }
    await send('POST', 'namespaces', JSON.stringify({ name, storage: { engine: 'cassandra', cluster } }))
    await each(
      chunks(
        Array.from({ length: records }, (_, at) => at),
        linesOfWrite,
      ),
      2,
      write,
    )
    for (let round = 0; round <= Number(how.rounds); round += 1) {
      const alone = [
        ...how.common,
        '--driver-alone',
        `ts_${name}`,
        '--rounds',
        '1',
        '--reads',
        how.reads,
        '--without',
        'inserts,count',
      ]
      const driver = await figuresOf(program, alone)
      for (const [phase, figure] of Object.entries(driver))
        if (round > 0) note(phase, /** @type {Figure} */ (/** @type {unknown} */ (figure)))
      for (const [phase, many, work] of phases) {
        const [begun, before] = [performance.now(), processorSeconds(gateway.pid)]
        await work()
        const figure = {
          perSecond: many / ((performance.now() - begun) / 1000),
          processorUs: ((processorSeconds(gateway.pid) - before) * 1e6) / many,
        }
        console.error(`${round} ${phase}: ${figure.perSecond.toFixed(0)}/s, ${figure.processorUs.toFixed(1)} us`)
        if (round > 0) note(phase, figure)
      }
    }
  } finally {
    agent.destroy()
    await gateway.stop()
  }
  const medians = Object.fromEntries(
    [...measured].map(([phase, figures]) => {
      const of = (/** @type {keyof Figure} */ key) => median(figures.map((figure) => figure[key]))
      return [phase, { perSecond: of('perSecond'), processorUs: of('processorUs') }]
    }),
  )
  return flat(medians, 'gateway: ')
}

/** Of all threads of a process. @param {number} pid */
function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** @template T @param {T[]} items @param {number} size @returns {T[][]} */
function chunks(items, size) {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}

/** So many at once. @template T @param {T[]} items @param {number} atOnce @param {(item: T) => Promise<unknown>} one */
async function each(items, atOnce, one) {
  const next = items.values()
  const takers = Array.from({ length: atOnce }, async () => {
    for (const item of next) await one(item)
  })
  await Promise.all(takers)
}

/** @param {number[]} values */
function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
