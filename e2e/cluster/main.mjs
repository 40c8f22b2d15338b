// A real Cassandra cluster on this machine: `npm run cluster:up -- --nodes 3`, and `npm run cluster:down`.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SetupError } from '../../server/setup.mjs'
import { addressOf, CLIENT_PORT, home } from './config.mjs'
import { countPeers } from './cql.mjs'
import { fetchJars, version } from './jars.mjs'
import { findJava } from './jdk.mjs'
import { logFile, pidOf, startNode, stopNode } from './node.mjs'

/** @typedef {import('./config.mjs').Shape} Shape */

const MOST_NODES = 9
const LEAST_HEAP_MB = 512
const DEFAULT_HEAP_MB = 768
/** A node takes so much beside its heap. */
const BESIDE_HEAP_MB = 640
const START_MS = 240_000
const POLL_MS = 500
const shapeFile = join(home, 'cluster.json')

const usage = `usage: npm run cluster:up -- [--nodes 3] [--heap ${DEFAULT_HEAP_MB}]
       npm run cluster:down -- [--delete]`

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
  const numbers = Array.from({ length: shape.nodes }, (_, at) => at + 1)
  const missing = numbers.filter((node) => pidOf(node) === undefined)
  checkMemory(missing.length, shape)
  const jars = await fetchJars(say)
  mkdirSync(home, { recursive: true })
  writeFileSync(shapeFile, `${JSON.stringify({ version, nodes: shape.nodes })}\n`)
  const begun = performance.now()
  /** @type {number[]} */
  const started = []
  const interrupt = () => void Promise.all(started.map(stopNode)).then(() => process.exit(130))
  process.once('SIGINT', interrupt)
  try {
    for (const node of missing) {
      await startNode(node, shape, java, jars)
      started.push(node)
      say(`Started node ${node} at ${addressOf(node)}:${CLIENT_PORT}, process ${pidOf(node)}`)
    }
    for (const node of numbers) {
      await ready(node, shape.nodes, begun + START_MS)
      say(`Node ${node} is ready after ${((performance.now() - begun) / 1000).toFixed(0)} s`)
    }
  } catch (error) {
    await Promise.all(started.map(stopNode))
    throw error
  } finally {
    process.removeListener('SIGINT', interrupt)
  }
  say(`\nCassandra ${version}, data centre datacenter1: ${numbers.map(addressOf).join(', ')}, port ${CLIENT_PORT}`)
  say('End it with: npm run cluster:down')
}

/** @param {string[]} words @returns {Shape} */
function readShape(words) {
  const values = options(words, { nodes: { type: 'string' }, heap: { type: 'string' } })
  return {
    nodes: whole('nodes', values['nodes'] ?? '3', 1, MOST_NODES),
    heapMb: whole('heap', values['heap'] ?? String(DEFAULT_HEAP_MB), LEAST_HEAP_MB, 1 << 16),
  }
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

/** Tokens belong to a number of nodes, so data of another number cannot be used. @param {Shape} shape */
function checkKept({ nodes }) {
  if (!existsSync(shapeFile)) return
  const kept = JSON.parse(readFileSync(shapeFile, 'utf8'))
  if (kept.nodes === nodes && kept.version === version) return
  const other = `a cluster of ${kept.nodes} nodes of Cassandra ${kept.version}`
  throw new SetupError(`There is ${other}. Remove it first: npm run cluster:down -- --delete`)
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

/** Waits until a node answers and knows all others. @param {number} node @param {number} nodes @param {number} late */
async function ready(node, nodes, late) {
  for (;;) {
    const state = await countPeers(addressOf(node), CLIENT_PORT).then(
      (peers) => (peers === nodes - 1 ? undefined : `it knows ${peers} of ${nodes - 1} others`),
      (/** @type {Error} */ error) => error.message,
    )
    if (state === undefined) return
    if (pidOf(node) === undefined) throw new SetupError(`Node ${node} ended.\n${lastLines(node)}`)
    if (performance.now() > late) throw new SetupError(`Node ${node} is not ready: ${state}.\n${lastLines(node)}`)
    await after(POLL_MS)
  }
}

/** What a node logged last. @param {number} node */
function lastLines(node) {
  const lines = readFileSync(logFile(node), 'utf8').trimEnd().split('\n')
  return [`The end of ${logFile(node)}:`, ...lines.slice(-12)].join('\n')
}

/** Ends all nodes. Their data stay, unless they are to be deleted. @param {string[]} words */
async function down(words) {
  const gone = options(words, { delete: { type: 'boolean' } })['delete'] === true
  const names = existsSync(home) ? readdirSync(home) : []
  const nodes = names.flatMap((name) => /^node(\d+)$/.exec(name)?.[1] ?? []).map(Number)
  const ran = await Promise.all(nodes.map(stopNode))
  say(`${ran.filter(Boolean).length} nodes ended${gone ? '; their data are deleted' : ''}`)
  if (gone) rmSync(home, { recursive: true, force: true })
}
