// What very many records on a large cluster come to: computed from what one node was measured to take, and simulated on the
// ring of a cluster, whose tokens and records are not spread evenly. The same options give the same figures.
import { option } from './live-load.mjs'
import { lossOf, partsOf, walkSeconds } from './scale-model.mjs'
import { ringOf, rowsOfNodes } from './scale-ring.mjs'

/** @typedef {import('./rust.mjs').Figures} Figures */

/** @type {import('./scale-model.mjs').Constants} */
export const measured = {
  rowBytes: 1050,
  indexBytes: 40,
  filterBytes: 1.3,
  read: { nodeUs: 50, serverUs: 24 },
  write: { nodeUs: 160, serverUs: 24 },
  scan: { nodeUs: 32, serverUs: 32, workerPerSecond: 15_500 },
  build: { nodeUs: 160, serverUs: 24, workerPerSecond: 1000 },
}

const GIB = 2 ** 30
const HOUR = 3600
/** `stream_throughput_outbound` of Cassandra 5.0 as it comes. */
const STREAM_BYTES = 24 * 2 ** 20

/** @param {string} _ @param {string[]} options @returns {Promise<Figures>} */
export const scale = (_, options) =>
  Promise.resolve(
    scaleOf({
      records: option(options, '--records', 10e9),
      nodes: option(options, '--nodes', 100),
      copies: option(options, '--copies', 3),
      tokens: option(options, '--tokens', 16),
      cores: option(options, '--cores', 16),
      gigabits: option(options, '--gigabits', 10),
      seed: option(options, '--seed', 1),
    }),
  )

/**
 * @param {import('./scale-ring.mjs').Shape & { cores: number, gigabits: number }} shape
 * @returns {Figures}
 */
export function scaleOf({ cores, gigabits, ...shape }) {
  const { records, nodes, copies } = shape
  const { rowBytes, indexBytes, filterBytes, read, write, scan, build } = measured
  const ring = ringOf(shape)
  const held = rowsOfNodes(ring, nodes)
  const most = Math.max(...held)
  const networkBytes = (gigabits * 1e9) / 8
  const quorum = Math.floor(copies / 2) + 1
  const ranges = partsOf(ring)
  const server = { cores, rowsPerSecond: networkBytes / rowBytes }
  /** Hours. @param {number} workers @param {import('./scale-model.mjs').Work} work @param {number} asked */
  const walk = (workers, work, asked) => walkSeconds(ranges, { workers, asked, work, server, cores }) / HOUR
  const loss = lossOf(ring, nodes, measured, { cores, networkBytes, streamBytes: STREAM_BYTES })
  return {
    records,
    nodes,
    copies,
    partitionsPerNode: (records * copies) / nodes,
    mostPartitionsPerNode: most,
    fewestPartitionsPerNode: Math.min(...held),
    gibPerNode: (most * rowBytes) / GIB,
    gibPerNodeOfAnIndex: (most * indexBytes) / GIB,
    filterGibPerNode: (most * filterBytes) / GIB,
    // Quorums ask more than one replica, and each copy of a write is work.
    readsPerSecond: (nodes * cores * 1e6) / (read.nodeUs * quorum),
    readsPerSecondOfAServer: (cores * 1e6) / read.serverUs,
    writesPerSecond: (nodes * cores * 1e6) / (write.nodeUs * copies),
    writesPerSecondOfAServer: (cores * 1e6) / write.serverUs,
    loadHours:
      records / Math.min((nodes * cores * 1e6) / (write.nodeUs * copies), (cores * 1e6) / write.serverUs) / HOUR,
    scanHoursOf8Threads: walk(8, scan, quorum),
    scanHoursOf32Threads: walk(32, scan, quorum),
    scanHoursOf128Threads: walk(128, scan, quorum),
    buildHoursOf8Threads: walk(8, build, copies),
    buildHoursOf32Threads: walk(32, build, copies),
    buildHoursOf128Threads: walk(128, build, copies),
    lossRestoreMinutes: loss.seconds / 60,
    lossLoadOfTheOthers: loss.load,
    lossPartners: loss.partners,
    secondLossMillionRecords: (loss.second * records) / 1e6,
  }
}
