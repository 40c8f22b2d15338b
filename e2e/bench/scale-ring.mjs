// The ring of a cluster with many nodes: who has which tokens, and how many records each range and each node has.

/** @typedef {{ from: number, to: number, replicas: number[], rows: number }} Range part of the ring from 0 to 1; the first replica owns it */
/** @typedef {{ nodes: number, tokens: number, copies: number, records: number, seed: number }} Shape */

/** Numbers from 0 to 1, the same for the same seed. @param {number} seed @returns {() => number} */
export function randomOf(seed) {
  let state = seed >>> 0
  const word = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  return () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53
}

/**
 * The tokens of all nodes in order. Each new token divides the largest range, somewhere near its middle: so Cassandra's
 * allocation (`allocate_tokens_for_local_replication_factor`) keeps nodes alike, where tokens at random would not.
 * @param {Pick<Shape, 'nodes' | 'tokens'>} shape @param {() => number} random
 */
function tokensOf({ nodes, tokens }, random) {
  const placed = [{ at: random(), node: 0 }]
  for (let turn = 1; turn < nodes * tokens; turn += 1) {
    const spans = placed.map(({ at }, index) => at - (placed[index - 1]?.at ?? (placed.at(-1)?.at ?? at) - 1))
    const widest = spans.reduce((best, span, index) => (span > (spans[best] ?? 0) ? index : best), 0)
    const end = placed[widest]?.at ?? 0
    const at = (end - (spans[widest] ?? 1) * (0.4 + 0.2 * random()) + 1) % 1
    placed.push({ at, node: turn % nodes })
    placed.sort((a, b) => a.at - b.at)
  }
  return placed
}

/** @param {Shape} shape @returns {Range[]} */
export function ringOf(shape) {
  const random = randomOf(shape.seed)
  const tokens = tokensOf(shape, random)
  const copies = Math.min(shape.copies, shape.nodes)
  // Behind the last token the ring goes on to the first one.
  const ends = [...tokens.map(({ at }) => at), 1]
  return ends.map((to, index) => {
    const from = ends[index - 1] ?? 0
    const rows = rowsIn(shape.records, to - from, random)
    return { from, to, replicas: replicasFrom(tokens, index, copies), rows }
  })
}

/** The first nodes that come from a token on. @param {readonly { node: number }[]} tokens @param {number} index @param {number} copies */
function replicasFrom(tokens, index, copies) {
  /** @type {Set<number>} */
  const replicas = new Set()
  for (let step = 0; replicas.size < copies; step += 1) replicas.add(tokens[(index + step) % tokens.length]?.node ?? 0)
  return [...replicas]
}

/**
 * How many of `records` fall into a part of the ring: digests are hashes, so the number is binomial.
 * @param {number} records @param {number} share @param {() => number} random
 */
function rowsIn(records, share, random) {
  const mean = records * share
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return Math.max(0, Math.round(mean + normal * Math.sqrt(mean * (1 - share))))
}

/** Rows on each node, copies included. @param {readonly Range[]} ring @param {number} nodes */
export function rowsOfNodes(ring, nodes) {
  const rows = Array.from({ length: nodes }, () => 0)
  for (const range of ring) for (const node of range.replicas) rows[node] = (rows[node] ?? 0) + range.rows
  return rows
}
