// What a large cluster takes and how long its work lasts, from what one node was measured to take.
import { rowsOfNodes } from './scale-ring.mjs'

/** @typedef {import('./scale-ring.mjs').Range} Range */

/**
 * @typedef {object} Constants of one node and of one server, measured as `docs/scale.md` says
 * @property {number} rowBytes of a record on a node's disk
 * @property {number} indexBytes of its entries in an index
 * @property {number} filterBytes of memory that a node keeps for each record, whatever is read
 * @property {Work} read
 * @property {Work} write
 * @property {Work} scan of one row
 * @property {Work} build of one row's entries, in an index
 *
 * @typedef {object} Work processor time in microseconds
 * @property {number} nodeUs of the nodes together, with one copy
 * @property {number} serverUs of the server of Tessera
 * @property {number} [workerPerSecond] most that one thread does
 *
 * @typedef {object} Machine what is assumed of each
 * @property {number} cores
 * @property {number} networkBytes a second
 * @property {number} streamBytes a second that a node sends to one that is made anew
 */

/** Parts that a walk through all records has: `cluster/src/ranges.rs`. */
export const WALK_RANGES = 512

/** Rows and replicas of the parts of each of equal ranges of tokens. @param {readonly Range[]} ring @returns {Range[][]} */
export function partsOf(ring) {
  return Array.from({ length: WALK_RANGES }, (_, at) => {
    const [from, to] = [at / WALK_RANGES, (at + 1) / WALK_RANGES]
    return ring.flatMap((range) => {
      const part = { ...range, from: Math.max(from, range.from), to: Math.min(to, range.to) }
      if (part.to <= part.from) return []
      return [{ ...part, rows: (range.rows * (part.to - part.from)) / (range.to - range.from) }]
    })
  })
}

/**
 * Seconds of a walk by some workers, each with one range at a time, as `TokenRanges` does it. A worker is as fast as the
 * slowest of: itself, its share of the server, its share of each node that it asks.
 * @param {readonly (readonly Range[])[]} ranges
 * @param {{ workers: number, asked: number, work: Work, server: { cores: number, rowsPerSecond: number }, cores: number }} how
 *   `asked`: replicas that work on each row; `cores`: of each node
 */
export function walkSeconds(ranges, { workers, asked, work, server, cores }) {
  const waiting = ranges.map((parts) => parts.map(({ rows, replicas }) => ({ rows, nodes: replicas.slice(0, asked) })))
  let next = 0
  const take = () => waiting[next++]
  const active = Array.from({ length: workers }, take).filter((parts) => parts !== undefined)
  let seconds = 0
  while (active.length > 0) {
    /** @type {Map<number, number>} */
    const users = new Map()
    for (const [part] of active) for (const node of part?.nodes ?? []) users.set(node, (users.get(node) ?? 0) + 1)
    const shared = Math.min(server.rowsPerSecond, (server.cores * 1e6) / work.serverUs) / active.length
    const rates = active.map(([part]) => {
      // Each of the nodes that are asked does a copy's part of the work.
      const nodes = (part?.nodes ?? []).map((node) => (cores * 1e6) / work.nodeUs / (users.get(node) ?? 1))
      return Math.min(work.workerPerSecond ?? Infinity, shared, ...nodes)
    })
    const step = Math.min(...active.map(([part], at) => (part?.rows ?? 0) / (rates[at] ?? 1)))
    seconds += step
    for (let at = active.length - 1; at >= 0; at -= 1) {
      const parts = active[at] ?? []
      const [part] = parts
      if (part === undefined) continue
      part.rows -= step * (rates[at] ?? 0)
      if (part.rows > 1e-6) continue
      parts.shift()
      if (parts.length > 0) continue
      const taken = take()
      if (taken === undefined) active.splice(at, 1)
      else active[at] = taken
    }
  }
  return seconds
}

/**
 * What the loss of a node means, for the node that is worst off: seconds until another one has its records again, how much
 * more others have to do until then, and the share of all records that lack a majority if a second node goes.
 * @param {readonly Range[]} ring @param {number} nodes @param {Constants} constants @param {Machine} machine
 */
export function lossOf(ring, nodes, constants, machine) {
  const held = rowsOfNodes(ring, nodes)
  const records = ring.reduce((sum, { rows }) => sum + rows, 0)
  const bytes = constants.rowBytes + constants.indexBytes
  /** Rows that two nodes both have. */
  const shared = Array.from({ length: nodes }, () => Array.from({ length: nodes }, () => 0))
  for (const { replicas, rows } of ring)
    for (const a of replicas)
      for (const b of replicas) {
        const of = shared[a]
        if (a !== b && of !== undefined) of[b] = (of[b] ?? 0) + rows
      }
  const losses = shared.map((with_, lost) => {
    // Each range is sent by one of the replicas that are left.
    const copies = ring[0]?.replicas.length ?? 1
    const most = Math.max(...with_) / Math.max(1, copies - 1)
    const sending = (most * bytes) / machine.streamBytes
    const receiving = ((held[lost] ?? 0) * bytes) / machine.networkBytes
    const quorum = Math.floor(copies / 2) + 1
    const usual = quorum / copies
    const now = copies > 1 ? quorum / (copies - 1) : Infinity
    const load = with_.map((rows, node) => {
      const all = held[node] ?? 0
      return node === lost || all === 0 ? 1 : 1 + (rows * (now - usual)) / (all * usual)
    })
    return {
      seconds: Math.max(sending, receiving),
      load: Math.max(...load),
      second: Math.max(...with_) / records,
      partners: with_.filter((rows) => rows > 0).length,
    }
  })
  const worst = (/** @type {(loss: (typeof losses)[number]) => number} */ of) => Math.max(...losses.map(of))
  return {
    seconds: worst(({ seconds }) => seconds),
    load: worst(({ load }) => load),
    second: worst(({ second }) => second),
    partners: worst(({ partners }) => partners),
  }
}
