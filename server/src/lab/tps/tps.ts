// Experiment tps: transactions per second on a device, and the rate at which they stay within a millisecond.
import type { LabRow } from '../../schemas/jobs/lab.js'
import type { Namespace } from '../../schemas/namespaces/namespaces.js'
import type { Status } from '../../schemas/server/status.js'
import type { WorkloadSpec } from '../../schemas/jobs/workloads.js'
import { type Bench, claim, type Experiment, type Outcome } from '../experiment.js'
import { measure, type Result } from '../measure/load.js'
import { pooled, READS_WITHIN, type Shape, WRITES_WITHIN } from '../measure/pool.js'
import type { Pace } from '../measure/search.js'
import { findSteady, type Found, words } from '../measure/steady.js'
import { published } from './tps-published.js'
import { say, type Sentence } from '../../sentences/sentence.js'

/** Clients per processor in a steady run, if writes wait for the device. */
const THREADS_A_CPU = 16
/**
 * Reads in flight per thread if writes do not wait, with one thread per processor: enough for a
 * short stall of the device.
 */
const STEADY_WINDOW = 256
/** Aerospike Community 8.1.2 on two cores and a virtual disk, 95/5 of 1 KB: its best median TPS, and its CPU with direct I/O, µs. */
const PEER_TPS = 32_999
const PEER_CPU_MICROS = 34

interface Size {
  /** Bytes of values in the database of each row. */
  databaseBytes: number
  /** Shapes for the peak: reads in flight per thread, and threads that wait for the device. */
  shapes: Record<Setup['durability'], readonly Shape[]>
  peakSeconds: number
  /** Runs at one rate. */
  pace: Pace
  /** Total time of all rows, loading included. */
  seconds: number
}

const shapes = (...pairs: readonly [threads: number, window: number][]): readonly Shape[] =>
  pairs.map(([threads, window]) => ({ threads, window }))

const sizes: Record<Bench['scale'], Size> = {
  smoke: {
    databaseBytes: 16_000_000,
    shapes: { relaxed: shapes([4, 8]), commit: shapes([8, 1]) },
    peakSeconds: 1,
    pace: { run: 1, least: 1, patience: 1, closing: 1 },
    seconds: 8,
  },
  quick: {
    databaseBytes: 64_000_000,
    shapes: { relaxed: shapes([4, 8], [8, 16]), commit: shapes([8, 1], [64, 1]) },
    peakSeconds: 1,
    pace: { run: 1, least: 2, patience: 4, closing: 4 },
    seconds: 40,
  },
  full: {
    databaseBytes: 4_000_000_000,
    shapes: { relaxed: shapes([4, 8], [4, 16], [8, 16], [16, 16]), commit: shapes([8, 1], [64, 1], [256, 1]) },
    peakSeconds: 10,
    pace: { run: 10, least: 20, patience: 40, closing: 60 },
    seconds: 860,
  },
}

interface Setup {
  record: string
  bytes: number
  durability: 'relaxed' | 'commit'
  /** Share of the database size for this row; writes that wait for the device are slow. */
  share: number
  /** Weight of the row's share of the time. */
  weight: number
  /** Share of the peak to try first: slightly more than the half that 1k must reach. */
  first: number
}

const setups: readonly Setup[] = [
  { record: '1k', bytes: 1000, durability: 'relaxed', share: 1, weight: 16, first: 0.52 },
  { record: '2k', bytes: 2000, durability: 'relaxed', share: 1, weight: 7, first: 0.52 },
  { record: '4k', bytes: 4000, durability: 'relaxed', share: 1, weight: 7, first: 0.52 },
  { record: '1k', bytes: 1000, durability: 'commit', share: 0.5, weight: 10, first: 0.2 },
]

interface Row extends LabRow {
  tps: number
  steadyTps: number
  readUnder1msPct: number
  writeUnder1msPct: number
  peakCpuMicrosPerOperation: number
}

export const tps: Experiment = {
  id: 'tps',
  title: 'One million TPS',
  repeats: 'Aerospike with Intel SSDs: 95% reads, one bin, on a device',
  published,
  run,
}

async function run(bench: Bench): Promise<Outcome> {
  const size = sizes[bench.scale]
  const begin = performance.now()
  const passed = (): number => (performance.now() - begin) / 1000
  const rows: Row[] = []
  for (const [index, setup] of setups.entries()) {
    const says = (text: Sentence): void =>
      bench.progress(
        say('{record}, {durability}: {text}', { record: setup.record, durability: setup.durability, text }),
        Math.min(0.99, passed() / size.seconds),
      )
    // Time that a row does not use goes to later rows.
    const weights = setups.slice(index).reduce((sum, { weight }) => sum + weight, 0)
    const endsAt = passed() + ((size.seconds - passed()) * setup.weight) / weights
    rows.push(await row({ bench, size, setup, says, left: () => endsAt - passed() }))
  }
  return {
    parameters: {
      workload: 'RU,95',
      readsWithin1msPct: READS_WITHIN,
      writesWithin1msPct: WRITES_WITHIN,
      ...size,
      peerTps: PEER_TPS,
      peerCpuMicrosPerOperation: PEER_CPU_MICROS,
    },
    rows,
    claims: claimsOf(rows),
  }
}

interface Task {
  bench: Bench
  size: Size
  setup: Setup
  says: (text: Sentence) => void
  /** Seconds left for the row. */
  left: () => number
}

async function row(task: Task): Promise<Row> {
  const { bench, size, setup, says } = task
  const name = `${bench.prefix}-${setup.record}-${setup.durability}`
  const keys = Math.floor((size.databaseBytes * setup.share) / setup.bytes)
  const base: WorkloadSpec = { namespace: name, set: 'tps', object: `B:${setup.bytes}`, keys }
  await bench.api.call('POST', '/namespaces', {
    name,
    storage: { engine: 'device' },
    durability: setup.durability,
    singleBin: true,
  })
  try {
    says(say('writing {records} records', { records: keys }))
    await measure(bench, { ...base, workload: 'I', threads: 64 })
    const best = await findPeak(task, base)
    const found = await findSteady({
      bench,
      base,
      pace: size.pace,
      shapes: await steadyShapes(bench, best.shape),
      first: best.peak.tps * setup.first,
      peak: best.peak.tps,
      says,
      left: task.left,
    })
    const after = await bench.api.call<Namespace>('GET', `/namespaces/${name}`)
    return figures(setup, best, found, after.device?.liveBytes ?? 0)
  } finally {
    await bench.api.call('DELETE', `/namespaces/${name}`, undefined, name)
  }
}

interface Peak {
  peak: Result
  shape: Shape
}

/** The highest throughput over some shapes. */
async function findPeak({ bench, size, setup, says }: Task, base: WorkloadSpec): Promise<Peak> {
  let best: Peak | undefined
  for (const shape of size.shapes[setup.durability]) {
    const peak = await measure(bench, { ...base, ...shape, durationSeconds: size.peakSeconds })
    says(say('{tps} per second with {shape}', { tps: Math.round(peak.tps), shape: words(shape) }))
    if (best === undefined || peak.tps > best.peak.tps) best = { peak, shape }
  }
  if (best === undefined) throw new Error('no shape was tried')
  return best
}

async function steadyShapes({ api }: Bench, { threads, window }: Shape): Promise<Shape[]> {
  const { cpus } = await api.call<Status>('GET', '/status')
  if (window > 1) return [{ threads: cpus, window: STEADY_WINDOW }]
  // Few threads cause few wake-ups; with many, one descheduled thread delays little.
  return [cpus * THREADS_A_CPU, threads].map((each) => ({ threads: each, window }))
}

function figures(
  { record, durability }: Setup,
  { peak, shape }: Peak,
  { steady, held }: Found,
  databaseBytes: number,
): Row {
  const { seconds, tps: rate, read, write, device, ...cost } = pooled(steady)
  const to = (places: number, value: number): number => Math.round(value * 10 ** places) / 10 ** places
  return {
    record,
    durability,
    ...shape,
    tps: Math.round(peak.tps),
    peakCpuMicrosPerOperation: peak.cpuMicrosPerOperation,
    peakReadUnder1msPct: peak.read.under1msPct,
    peakWriteUnder1msPct: peak.write.under1msPct,
    // Report 0 if no rate held.
    steadyTps: held ? Math.round(rate) : 0,
    steadyThreads: steady.shape.threads,
    steadyWindow: steady.shape.window,
    steadyAttempts: steady.attempt,
    steadySeconds: seconds,
    // Round down, so that no failing share looks as if it held.
    readUnder1msPct: Math.floor(read.under1msPct * 1000) / 1000,
    writeUnder1msPct: Math.floor(write.under1msPct * 1000) / 1000,
    readStdDevMs: to(3, read.stdDevMs),
    writeStdDevMs: to(3, write.stdDevMs),
    databaseBytes,
    readMBps: to(1, device.readMBps),
    writeMBps: to(1, device.writeMBps),
    queueDepth: to(1, device.queueDepth),
    deviceLatencyMs: to(3, device.latencyMs),
    cpuPct: to(1, cost.cpuPct),
    cpuMicrosPerOperation: to(2, cost.cpuMicrosPerOperation),
  }
}

function claimsOf(rows: readonly Row[]): Outcome['claims'] {
  const [first] = rows
  if (first === undefined) return []
  const share = (first.steadyTps / Math.max(1, first.tps)) * 100
  const lowest = (field: 'readUnder1msPct' | 'writeUnder1msPct') => Math.min(...rows.map((each) => each[field]))
  return [
    claim('steady-share-1k', say('the steady rate of 1k is at least half of its peak'), share, '%', 50),
    claim(
      'peak-1k',
      say("the peak of 1k is at least twice the peer's {tps} TPS", { tps: PEER_TPS }),
      first.tps / PEER_TPS,
      'x',
      2,
    ),
    claim(
      'cpu-1k',
      say("an operation of 1k costs at most half the peer's {micros} µs of CPU", { micros: PEER_CPU_MICROS }),
      first.peakCpuMicrosPerOperation,
      'µs',
      PEER_CPU_MICROS / 2,
      true,
    ),
    claim(
      'reads-within-1ms',
      say('reads within 1 ms at the steady rate, lowest row'),
      lowest('readUnder1msPct'),
      '%',
      READS_WITHIN,
    ),
    claim(
      'writes-within-1ms',
      say('writes within 1 ms at the steady rate, lowest row'),
      lowest('writeUnder1msPct'),
      '%',
      WRITES_WITHIN,
    ),
  ]
}
