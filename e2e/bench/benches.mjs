// The benchmarks by name. Those of the engine run in the Rust binary; HTTP is measured against the real application.
import { join } from 'node:path'
import { addedLatency } from './added-latency.mjs'
import { backupLoad } from './backup-load.mjs'
import { besideDriver } from './beside-driver.mjs'
import { buildLeft } from './build-left.mjs'
import { clusterNode } from './cluster-node.mjs'
import { connections } from './connections.mjs'
import { firstPaint } from './first-paint.mjs'
import { gatewayStart } from './gateway-start.mjs'
import { httpGet } from './http-get.mjs'
import { httpScan } from './http-scan.mjs'
import { httpWorkers } from './http-workers.mjs'
import { keptRuns } from './kept-runs.mjs'
import { liveHours } from './live-hours.mjs'
import { livePage } from './live-page.mjs'
import { liveStall } from './live-stall.mjs'
import { overload } from './overload.mjs'
import { postgres } from './postgres.mjs'
import { recordList } from './record-list.mjs'
import { recordPage } from './record-page.mjs'
import { engine, events } from './rust.mjs'
import { scale } from './scale.mjs'
import { tenMillion } from './ten-million.mjs'

/** @typedef {import('./rust.mjs').Figures} Figures */
/** @typedef {{ name: string, about: string, needsGateway: boolean, run: (scratch: string, options: string[]) => Promise<Figures> }} Bench */

const rows = 219_000

/** @param {string} name @param {string} scratch @param {string[]} options */
async function onEvents(name, scratch, options) {
  const file = join(scratch, 'events.csv')
  await events(file, rows, 1)
  return engine(name, ['--file', file, ...options])
}

/** @type {Bench[]} */
export const benches = [
  {
    name: 'beside-driver',
    about: 'a namespace on a running cluster (-- --points 127.0.0.1 --copies 1) beside the driver alone, and over HTTP',
    needsGateway: true,
    run: besideDriver,
  },
  {
    name: 'point-read',
    about: '1 million keys, 1 KB values copied out, 2 threads: one by one, and in batches of 256',
    needsGateway: false,
    run: (_, options) => engine('point-read', options),
  },
  {
    name: 'import',
    about: `${rows} generated events as CSV into memory, without and with a document index`,
    needsGateway: false,
    run: (scratch, options) => onEvents('import', scratch, options),
  },
  {
    name: 'index-build',
    about: `document index on ${rows} events with 1 and 2 threads; two containment queries, checked by a plain loop`,
    needsGateway: false,
    run: (scratch, options) => onEvents('index-build', scratch, options),
  },
  {
    name: 'index-growth',
    about: 'document index on 1, 2, 4 and 8 times 218,934 events in memory, 1 and 2 threads; the floor of a bare loop',
    needsGateway: false,
    run: (_, options) => engine('index-growth', options),
  },
  {
    name: 'index-abort',
    about: 'memory of the process before a document index is built, while it is, and 2 seconds after an abort',
    needsGateway: false,
    run: (_, options) => engine('index-abort', options),
  },
  {
    name: 'build-left',
    about:
      'document index in memory, on a device and in pages: how exact its time left is, and how soon an abort gives its ' +
      'memory back (-- --rows <n> --threads <n>)',
    needsGateway: true,
    run: buildLeft,
  },
  {
    name: 'index-stall',
    about:
      '20,000 reads and writes a second while an index is built, kept by a load, and merged; beside the same alone',
    needsGateway: false,
    run: (_, options) => engine('index-stall', options),
  },
  {
    name: 'set-scan',
    about: '2 million records of 100 bytes: scans of small sets with and without their index; bytes of both indexes',
    needsGateway: false,
    run: (_, options) => engine('set-scan', options),
  },
  {
    name: 'whole-scan',
    about:
      '20 million records of 70 bytes in memory: visiting and counting all of them in the core; bytes of both indexes',
    needsGateway: false,
    run: (_, options) => engine('whole-scan', options),
  },
  {
    name: 'segments',
    about:
      '50,000 records of 1000 bytes in memory (and -- --large 10000000): size, visits, copies in batches, get, put; 2 million filtered',
    needsGateway: false,
    run: (_, options) => engine('segments', options),
  },
  {
    name: 'device-io',
    about: 'a 2 GB file: direct random reads of 4 KiB, 4 threads at depth 8; writes of 128 KiB at depth 8; beside fio',
    needsGateway: false,
    run: (scratch, options) => engine('device-io', ['--directory', scratch, ...options]),
  },
  {
    name: 'device-write',
    about: 'a load of 2 GB of 1 KB records into a device namespace, 2 threads; beside fio',
    needsGateway: false,
    run: (scratch, options) => engine('device-write', ['--directory', scratch, ...options]),
  },
  {
    name: 'device-read',
    about: 'random reads of 2 GB of 1 KB records of a device namespace, 4 threads with windows of 8; beside fio',
    needsGateway: false,
    run: (scratch, options) => engine('device-read', ['--directory', scratch, ...options]),
  },
  {
    name: 'device-scan',
    about: 'scans of 4 GB of 1 KB records of a device namespace, block by block and each at its place; beside fio',
    needsGateway: false,
    run: (scratch, options) => engine('device-scan', ['--directory', scratch, ...options]),
  },
  {
    name: 'scan-under-load',
    about:
      'point reads while half of the operations write, with and without scans of everything, in memory and on a device',
    needsGateway: false,
    run: (scratch, options) => engine('scan-under-load', ['--directory', scratch, ...options]),
  },
  {
    name: 'device-start',
    about:
      'starts on a device: cold of 2 GB of 1 KB records that were not closed, beside fio; warm of 2 million of 100 bytes',
    needsGateway: false,
    run: (scratch, options) => engine('device-start', ['--directory', scratch, ...options]),
  },
  {
    name: 'index-start',
    about: 'starts on a device with 1 million events, a document and a range index: warm, and cold from the records',
    needsGateway: false,
    run: (scratch, options) => engine('index-start', ['--directory', scratch, ...options]),
  },
  {
    name: 'http-get',
    about: 'GETs of 1 KB records by 64 connections, against a constant route of the same application',
    needsGateway: true,
    run: httpGet,
  },
  {
    name: 'gateway-start',
    about:
      'from the start of the process to the first 200 of /readyz, by part: empty, and with 100,000 records of 1 KB',
    needsGateway: true,
    run: gatewayStart,
  },
  {
    name: 'added-latency',
    about: 'what the gateway adds to GETs of 1 KB records: 200 a second on one connection, and 64 connections',
    needsGateway: true,
    run: addedLatency,
  },
  {
    name: 'http-workers',
    about: 'GETs of 1 KB records by 64 connections, with one, two and four workers',
    needsGateway: true,
    run: httpWorkers,
  },
  {
    name: 'http-scan',
    about: '1.5 million records of ten bins in memory, scanned as NDJSON by curl: bytes a second, memory, threads',
    needsGateway: true,
    run: httpScan,
  },
  {
    name: 'connections',
    about: '100,000 connections that send nothing or a part of a head, and beside them who is served, and how fast',
    needsGateway: true,
    run: connections,
  },
  {
    name: 'overload',
    about:
      'GETs at 3 times the rate that saturates, 1,000 connections, beside a scan, an import, 200 live clients, 500 jobs, 400 unread exports',
    needsGateway: true,
    run: overload,
  },
  {
    name: 'postgres',
    about: 'PostgreSQL 15 and Tessera on the same 218,934 events: loads, index builds and sizes, the published queries',
    needsGateway: true,
    run: postgres,
  },
  {
    name: 'first-paint',
    about:
      'the first visit of four pages with a processor slowed down four times, beside an empty page, in Chromium without a GPU',
    needsGateway: true,
    run: firstPaint,
  },
  {
    name: 'record-list',
    about:
      'the list of a set of 1 million records: its first row, and frames while a wheel turns, in Chromium without a GPU',
    needsGateway: true,
    run: recordList,
  },
  {
    name: 'record-page',
    about: 'a record of 1 MB opened and typed into on the console, and one of 8 MB opened, in Chromium without a GPU',
    needsGateway: true,
    run: recordPage,
  },
  {
    name: 'ten-million',
    about:
      '10 million rows into a device namespace and out again as NDJSON, CSV and MessagePack: rows a second, memory (-- --rows <n>)',
    needsGateway: true,
    run: tenMillion,
  },
  {
    name: 'live-page',
    about:
      'main thread that a frame of live data costs a page without charts, and Live in three variants, in Chromium without a GPU',
    needsGateway: true,
    run: livePage,
  },
  {
    name: 'live-hours',
    about: 'memory that eight hours of the Live page take, and what it draws in a hidden tab',
    needsGateway: true,
    run: liveHours,
  },
  {
    name: 'live-stall',
    about: 'the gateway stopped for 30 ms while reads are in flight: their island in the histogram, and the median',
    needsGateway: true,
    run: liveStall,
  },
  {
    name: 'backup-load',
    about:
      'a full backup under a steady load, an incremental one behind changes of 5%, both restored, every record compared ' +
      '(-- --gb 10 --engine device --rate 200)',
    needsGateway: true,
    run: backupLoad,
  },
  {
    name: 'kept-runs',
    about: 'start, first list and memory of a gateway that keeps 10,000 benchmark runs (or -- --runs <n>)',
    needsGateway: true,
    run: keptRuns,
  },
  {
    name: 'cluster-node',
    about: '100,000 records of 1 KB on a cluster of one node that runs already: processor time, bytes; stops the node',
    needsGateway: true,
    run: clusterNode,
  },
  {
    name: 'scale',
    about: '10 billion records on 100 nodes of a cluster, simulated from what one node was measured to take',
    needsGateway: false,
    run: scale,
  },
]
