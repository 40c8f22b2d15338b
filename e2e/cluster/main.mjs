// A real Cassandra cluster on this machine: `npm run cluster:up -- --nodes 3`, and `npm run cluster:down`. One at other
// addresses (`--net 127.0.1`) may run beside it.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SetupError } from '../../server/setup.mjs'
import { makeCertificates, ticketOf } from './certificates.mjs'
import { CLIENT_PORT, homeOf, NET, nodeAt, nodesAt, toldAddress } from './config.mjs'
import { countPeers } from './cql.mjs'
import { fetchJars, version } from './jars.mjs'
import { findJava } from './jdk.mjs'
import { logFile, pidOf, startNode, stopNode } from './node.mjs'

/** @typedef {import('./config.mjs').Shape} Shape */
/** @typedef {import('./config.mjs').Node} Node */

const MOST_NODES = 9
const LEAST_HEAP_MB = 512
const DEFAULT_HEAP_MB = 768
/** A node takes so much beside its heap. */
const BESIDE_HEAP_MB = 640
const START_MS = 240_000
const POLL_MS = 500

const usage = `usage: npm run cluster:up -- [--nodes 3] [--heap ${DEFAULT_HEAP_MB}] [--net ${NET}] [--tls] [--auth] [--relayed]
       npm run cluster:down -- [--net ${NET}] [--delete]`

/** @param {string} net */
const shapeFile = (net) => join(homeOf(net), 'cluster.json')

/** @param {string} line */
const say = (line) => console.log(line)

const [command, ...words] = process.argv.slice(2)
try {
  if (command === 'up') await up(words)
  else if (command === 'down') await down(words)
  else throw new SetupError(usage)
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(error.message)
  process.exit(1)
}

/** Starts what does not run yet, and waits until each node knows all others. @param {string[]} words */
async function up(words) {
  const shape = readShape(words)
  const java = findJava()
  checkKept(shape)
  const nodes = nodesAt(shape.nodes, shape.net)
  const missing = nodes.filter((node) => pidOf(node) === undefined)
  checkMemory(missing.length, shape)
  const jars = await fetchJars(say)
  mkdirSync(homeOf(shape.net), { recursive: true })
  writeFileSync(shapeFile(shape.net), `${JSON.stringify(kept(shape))}\n`)
  if (shape.tls) makeCertificates(nodes, homeOf(shape.net))
  const begun = performance.now()
  /** @type {Node[]} */
  const started = []
  const interrupt = () => void Promise.all(started.map(stopNode)).then(() => process.exit(130))
  process.once('SIGINT', interrupt)
  try {
    for (const node of missing) {
      await startNode(node, shape, java, jars)
      started.push(node)
      say(`Started node ${node.number} at ${node.address}:${CLIENT_PORT}, process ${pidOf(node)}`)
    }
    for (const node of nodes) {
      await ready(node, shape, begun + START_MS)
      say(`Node ${node.number} is ready after ${((performance.now() - begun) / 1000).toFixed(0)} s`)
    }
  } catch (error) {
    await Promise.all(started.map(stopNode))
    throw error
  } finally {
    process.removeListener('SIGINT', interrupt)
  }
  const addresses = nodes.map((node) => toldAddress(node, shape)).join(', ')
  say(`\nCassandra ${version}, data centre datacenter1: ${addresses}, port ${CLIENT_PORT}`)
  say(`End it with: npm run cluster:down${shape.net === NET ? '' : ` -- --net ${shape.net}`}`)
}

/** @param {string[]} words @returns {Shape} */
function readShape(words) {
  const text = /** @type {const} */ ({ type: 'string' })
  const flag = /** @type {const} */ ({ type: 'boolean' })
  const values = options(words, { nodes: text, heap: text, net: text, tls: flag, auth: flag, relayed: flag })
  return {
    nodes: whole('nodes', values['nodes'] ?? '3', 1, MOST_NODES),
    heapMb: whole('heap', values['heap'] ?? String(DEFAULT_HEAP_MB), LEAST_HEAP_MB, 1 << 16),
    net: netOf(values['net']),
    tls: values['tls'] === true,
    auth: values['auth'] === true,
    relayed: values['relayed'] === true,
  }
}

/** @param {string} [text] */
function netOf(text = NET) {
  const numbers = text.split('.').map(Number)
  if (/^127(\.(0|[1-9]\d{0,2})){2}$/.test(text) && numbers.every((number) => number <= 255)) return text
  throw new SetupError(`--net is the begin of an address of this machine, as ${NET} or 127.0.1, not ${text}.`)
}

/**
 * @param {string[]} words @param {Record<string, { type: 'string' | 'boolean' }>} known
 * @returns {Record<string, any>}
 */
function options(words, known) {
  try {
    return parseArgs({ args: words, options: known }).values
  } catch (error) {
    throw new SetupError(`${error instanceof Error ? error.message : error}\n${usage}`)
  }
}

/** @param {string} name @param {string} text @param {number} least @param {number} most */
function whole(name, text, least, most) {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new SetupError(`--${name} is a whole number from ${least} to ${most}, not ${text}.`)
}

/** What data of a cluster belong to: tokens to a number of nodes, users to `auth`. @param {Shape} shape */
function kept({ nodes, tls, auth, relayed }) {
  return { version, nodes, ...(tls && { tls }), ...(auth && { auth }), ...(relayed && { relayed }) }
}

/** @param {Shape} shape */
function checkKept(shape) {
  if (!existsSync(shapeFile(shape.net))) return
  const there = readFileSync(shapeFile(shape.net), 'utf8').trim()
  if (there === JSON.stringify(kept(shape))) return
  throw new SetupError(`There is another cluster: ${there}. Remove it first: npm run cluster:down -- --delete`)
}

/** @param {number} nodes @param {Shape} shape */
function checkMemory(nodes, { heapMb }) {
  const wanted = nodes * (heapMb + BESIDE_HEAP_MB)
  const free = Math.floor(freemem() / (1 << 20))
  if (wanted > free) {
    throw new SetupError(
      `${nodes} nodes need ${wanted} MB of memory, and ${free} MB are free. Ask for fewer: --nodes 1`,
    )
  }
}

/** Waits until a node answers and knows all others. @param {Node} node @param {Shape} shape @param {number} late */
async function ready(node, { nodes, net, tls, auth }, late) {
  for (;;) {
    const state = await countPeers(node.address, CLIENT_PORT, ticketOf(homeOf(net), { tls, auth })).then(
      (peers) => (peers === nodes - 1 ? undefined : `it knows ${peers} of ${nodes - 1} others`),
      (/** @type {Error} */ error) => error.message,
    )
    if (state === undefined) return
    if (pidOf(node) === undefined) throw new SetupError(`Node ${node.number} ended.\n${lastLines(node)}`)
    if (performance.now() > late)
      throw new SetupError(`Node ${node.number} is not ready: ${state}.\n${lastLines(node)}`)
    await after(POLL_MS)
  }
}

/** What a node logged last. @param {Node} node */
function lastLines(node) {
  const lines = readFileSync(logFile(node), 'utf8').trimEnd().split('\n')
  return [`The end of ${logFile(node)}:`, ...lines.slice(-12)].join('\n')
}

/** Ends all nodes. Their data stay, unless they are to be deleted. @param {string[]} words */
async function down(words) {
  const values = options(words, { delete: { type: 'boolean' }, net: { type: 'string' } })
  const [gone, net] = [values['delete'] === true, netOf(values['net'])]
  const names = existsSync(homeOf(net)) ? readdirSync(homeOf(net)) : []
  const numbers = names.flatMap((name) => /^node(\d+)$/.exec(name)?.[1] ?? []).map(Number)
  const ran = await Promise.all(numbers.map((number) => stopNode(nodeAt(number, net))))
  say(`${ran.filter(Boolean).length} nodes ended${gone ? '; their data are deleted' : ''}`)
  if (gone) rmSync(homeOf(net), { recursive: true, force: true })
}
