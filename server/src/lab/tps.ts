// Experiment tps: transactions a second on a device, and the rate at which they stay within a millisecond.
import type { LabRow } from '../schemas/lab.js'
import type { Namespace } from '../schemas/namespaces.js'
import type { Status } from '../schemas/status.js'
import type { WorkloadSpec } from '../schemas/workloads.js'
import { type Bench, claim, type Experiment, type Outcome } from './experiment.js'
import { measure, type Result } from './load.js'

/** Shares that have to end within 1 ms for a rate to count as steady, percent. */
const READS_WITHIN = 97
const WRITES_WITHIN = 99.5
/** A steady run does what is due: this share of it at least. */
const KEPT_UP = 0.99
/** Aerospike Community 8.1.2 on two cores and a virtual disk, 95/5 of 1 KB: its best median TPS, and its CPU with direct I/O, µs. */
const PEER_TPS = 32_999
const PEER_CPU_MICROS = 34

interface Size {
  /** Bytes of values in the database of each row. */
  databaseBytes: number
  peakThreads: readonly number[]
  peakSeconds: number
  searchSeconds: number
  steadySeconds: number
  /** What a row may take; the search for its steady rate ends in time for the run that confirms it. */
  rowSeconds: number
}

const sizes: Record<Bench['scale'], Size> = {
  quick: {
    databaseBytes: 64_000_000,
    peakThreads: [8, 64],
    peakSeconds: 1,
    searchSeconds: 1,
    steadySeconds: 2,
    rowSeconds: 8,
  },
  full: {
    databaseBytes: 4_000_000_000,
    peakThreads: [8, 64, 256],
    peakSeconds: 10,
    searchSeconds: 8,
    steadySeconds: 60,
    rowSeconds: 220,
  },
}

interface Setup {
  record: string
  bytes: number
  durability: 'relaxed' | 'commit'
  /** Part of the database that the row has: writes that wait for the device take their time. */
  share: number
}

const setups: readonly Setup[] = [
  { record: '1k', bytes: 1000, durability: 'relaxed', share: 1 },
  { record: '2k', bytes: 2000, durability: 'relaxed', share: 1 },
  { record: '4k', bytes: 4000, durability: 'relaxed', share: 1 },
  { record: '1k', bytes: 1000, durability: 'commit', share: 0.25 },
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
  published: {
    columns: [
      { key: 'record', label: 'record' },
      { key: 'threads', label: 'client threads' },
      { key: 'tps', label: 'TPS' },
      { key: 'readUnder1msPct', label: 'reads < 1 ms %' },
      { key: 'writeUnder1msPct', label: 'writes < 1 ms %' },
      { key: 'readStdDevMs', label: 'read σ ms' },
      { key: 'writeStdDevMs', label: 'write σ ms' },
      { key: 'databaseBytes', label: 'database bytes' },
      { key: 'readMBps', label: 'read MB/s' },
      { key: 'writeMBps', label: 'write MB/s' },
      { key: 'queueDepth', label: 'queue' },
      { key: 'deviceLatencyMs', label: 'device ms' },
      { key: 'cpuPct', label: 'CPU %' },
    ],
    rows: [
      published('1k', 576, 1_124_875, [97.16, 99.9], [0.79, 0.35], 100e9, [418, 29, 31, 0.11, 93]),
      published('2k', 448, 875_446, [97.33, 99.57], [0.63, 0.18], 200e9, [547, 43, 27, 0.13, 81]),
      published('4k', 384, 581_272, [97.22, 99.85], [0.63, 0.05], 400e9, [653, 52, 20, 0.16, 52]),
      published('1k, replicated', 512, 1_003_471, [96.11, 99.98], [0.87, 0.3], 200e9, [396, 51, 30, 0.13, 94]),
    ],
    note: 'Averages over 2 hours; 4 PCIe SSDs, write blocks of 128 KiB, 2 × 18 cores. The last row is beside our committed one.',
  },
  run,
}

type Device = [readMBps: number, writeMBps: number, queueDepth: number, deviceLatencyMs: number, cpuPct: number]

function published(
  record: string,
  threads: number,
  perSecond: number,
  [readUnder1msPct, writeUnder1msPct]: [number, number],
  [readStdDevMs, writeStdDevMs]: [number, number],
  databaseBytes: number,
  [readMBps, writeMBps, queueDepth, deviceLatencyMs, cpuPct]: Device,
): LabRow {
  return {
    record,
    threads,
    tps: perSecond,
    readUnder1msPct,
    writeUnder1msPct,
    readStdDevMs,
    writeStdDevMs,
    databaseBytes,
    readMBps,
    writeMBps,
    queueDepth,
    deviceLatencyMs,
    cpuPct,
  }
}

async function run(bench: Bench): Promise<Outcome> {
  const rows: Row[] = []
  for (const [index, setup] of setups.entries()) {
    const says = (text: string): void =>
      bench.progress(`${setup.record}, ${setup.durability}: ${text}`, index / setups.length)
    rows.push(await row(bench, setup, says))
  }
  const size = sizes[bench.scale]
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

async function row(bench: Bench, setup: Setup, says: (text: string) => void): Promise<Row> {
  const size = sizes[bench.scale]
  const endsAt = performance.now() + size.rowSeconds * 1000
  const name = `${bench.prefix}-${setup.record}-${setup.durability}`
  const keys = Math.floor((size.databaseBytes * setup.share) / setup.bytes)
  const base: WorkloadSpec = { namespace: name, set: 'tps', object: `B:${setup.bytes}`, keys }
  await bench.api.call('POST', '/namespaces', {
    name,
    storage: { engine: 'device' },
    durability: setup.durability,
  })
  try {
    says(`writing ${keys} records`)
    await measure(bench, { ...base, workload: 'I', threads: 64 })
    const { peak, threads } = await findPeak(bench, base, size, says)
    const steady = await findSteady(bench, base, { size, peak, threads, endsAt, says })
    return figures(setup, threads, peak, steady)
  } finally {
    await bench.api.call('DELETE', `/namespaces/${name}`, undefined, name)
  }
}

/** The most that goes, of some numbers of threads. */
async function findPeak(
  bench: Bench,
  base: WorkloadSpec,
  size: Size,
  says: (text: string) => void,
): Promise<{ peak: Result; threads: number }> {
  let best: { peak: Result; threads: number } | undefined
  for (const threads of size.peakThreads) {
    const peak = await measure(bench, { ...base, threads, durationSeconds: size.peakSeconds })
    says(`${Math.round(peak.tps)} a second with ${threads} threads`)
    if (best === undefined || peak.tps > best.peak.tps) best = { peak, threads }
  }
  if (best === undefined) throw new Error('no number of threads was tried')
  return best
}

interface Steady {
  due: number
  threads: number
  seconds: number
  result: Result
  device: { readMBps: number; writeMBps: number }
  databaseBytes: number
}

interface Search {
  size: Size
  peak: Result
  /** With which the peak was found. */
  threads: number
  endsAt: number
  says: (text: string) => void
}

/** The highest rate that stays within a millisecond: found in short runs, confirmed in a longer one. */
async function findSteady(bench: Bench, base: WorkloadSpec, search: Search): Promise<Steady> {
  const { size, peak, endsAt, says } = search
  const run = async (due: number, threads: number, seconds: number, name?: string): Promise<Steady> => {
    const spec = { ...base, threads, targetTps: Math.max(1, Math.round(due)), durationSeconds: seconds }
    const tried = await watched(bench, { ...spec, ...(name !== undefined && { name }) })
    says(
      `${spec.targetTps} a second with ${threads} threads for ${seconds} s ${isSteady(tried) ? 'is' : 'is not'} steady`,
    )
    return tried
  }
  // Few threads wake seldom, many wait for the device together: which does better depends on the device.
  const { cpus } = await bench.api.call<Status>('GET', '/status')
  const few = cpus * 4
  const first = [await run(peak.tps / 2, few, size.searchSeconds)]
  if (search.threads !== few) first.push(await run(peak.tps / 2, search.threads, size.searchSeconds))
  let last = first.reduce((a, b) => (b.result.read.under1msPct > a.result.read.under1msPct ? b : a))
  const { threads } = last
  let [held, failed] = [0, Infinity]
  for (;;) {
    if (isSteady(last)) held = Math.max(held, last.due)
    else failed = Math.min(failed, last.due)
    const inTime = performance.now() + (size.searchSeconds + size.steadySeconds) * 1000 < endsAt
    const next = nextRate(held, failed, peak.tps)
    if (!inTime || next === undefined) break
    last = await run(next, threads, size.searchSeconds)
  }
  const due = held > 0 ? held : failed * DOWN
  const name = (rate: number): string => `lab tps ${base.object ?? ''} at ${Math.round(rate)}/s`
  const confirmed = await run(due, threads, size.steadySeconds, name(due))
  // What a short run held, a longer one may not; then less is asked for, once.
  return isSteady(confirmed) ? confirmed : run(due * LESS, threads, size.steadySeconds, name(due * LESS))
}

/** Steps of the search: up while rates hold, down while none has, then between the two. */
const UP = 1.3
const DOWN = 0.4
const LESS = 0.7
const NEAR_ENOUGH = 1.1

function nextRate(held: number, failed: number, peak: number): number | undefined {
  if (held === 0) return failed * DOWN
  if (failed === Infinity) return held < peak ? Math.min(peak, held * UP) : undefined
  return failed / held > NEAR_ENOUGH ? Math.sqrt(failed * held) : undefined
}

function isSteady({ due, result: { tps: done, read, write, errors } }: Steady): boolean {
  return (
    done >= due * KEPT_UP &&
    read.under1msPct >= READS_WITHIN &&
    write.under1msPct >= WRITES_WITHIN &&
    Object.keys(errors).length === 0
  )
}

/** A run, and what the device did meanwhile. */
async function watched(bench: Bench, spec: WorkloadSpec): Promise<Steady> {
  const look = () => bench.api.call<Namespace>('GET', `/namespaces/${spec.namespace}`)
  const before = await look()
  const result = await measure(bench, spec)
  const after = await look()
  const rate = (field: 'bytesRead' | 'bytesWritten'): number =>
    ((after.device?.[field] ?? 0) - (before.device?.[field] ?? 0)) / 1e6 / result.elapsedSeconds
  return {
    due: spec.targetTps ?? 0,
    threads: spec.threads ?? 0,
    seconds: spec.durationSeconds ?? 0,
    result,
    device: { readMBps: rate('bytesRead'), writeMBps: rate('bytesWritten') },
    databaseBytes: after.device?.liveBytes ?? 0,
  }
}

function figures({ record, durability }: Setup, threads: number, peak: Result, steady: Steady): Row {
  const { result, device } = steady
  const one = (value: number): number => Math.round(value * 10) / 10
  const holds = isSteady(steady)
  return {
    record,
    durability,
    threads,
    tps: Math.round(peak.tps),
    peakCpuMicrosPerOperation: peak.cpuMicrosPerOperation,
    peakReadUnder1msPct: peak.read.under1msPct,
    peakWriteUnder1msPct: peak.write.under1msPct,
    // A rate that does not hold is not one: it says 0.
    steadyTps: holds ? Math.round(result.tps) : 0,
    steadyThreads: steady.threads,
    steadySeconds: steady.seconds,
    readUnder1msPct: result.read.under1msPct,
    writeUnder1msPct: result.write.under1msPct,
    readStdDevMs: result.read.stdDevMs,
    writeStdDevMs: result.write.stdDevMs,
    databaseBytes: steady.databaseBytes,
    readMBps: one(device.readMBps),
    writeMBps: one(device.writeMBps),
    cpuPct: result.cpuPct,
    cpuMicrosPerOperation: result.cpuMicrosPerOperation,
  }
}

function claimsOf(rows: readonly Row[]): Outcome['claims'] {
  const [first] = rows
  if (first === undefined) return []
  const share = (first.steadyTps / Math.max(1, first.tps)) * 100
  const lowest = (field: 'readUnder1msPct' | 'writeUnder1msPct') => Math.min(...rows.map((each) => each[field]))
  return [
    claim('steady-share-1k', 'the steady rate of 1k is at least half of its peak', share, '%', 50),
    claim('peak-1k', `the peak of 1k is twice the peer's ${PEER_TPS} TPS or more`, first.tps / PEER_TPS, 'x', 2),
    claim(
      'cpu-1k',
      `an operation of 1k costs at most half of the peer's ${PEER_CPU_MICROS} µs of CPU`,
      first.peakCpuMicrosPerOperation,
      'µs',
      PEER_CPU_MICROS / 2,
      true,
    ),
    claim(
      'reads-within-1ms',
      'reads within 1 ms at the steady rate, lowest row',
      lowest('readUnder1msPct'),
      '%',
      READS_WITHIN,
    ),
    claim(
      'writes-within-1ms',
      'writes within 1 ms at the steady rate, lowest row',
      lowest('writeUnder1msPct'),
      '%',
      WRITES_WITHIN,
    ),
  ]
}
