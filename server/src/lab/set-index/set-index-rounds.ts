// One set of experiment set-index with a number of threads. Scans with and without the index
// alternate, so noise affects both.
import type { LabRow } from '../../schemas/jobs/lab.js'
import type { NamespaceConfig } from '../../schemas/namespaces/namespaces.js'
import type { ScanPlan } from '../../schemas/records/plans.js'
import type { ScanRequest, StreamSummary } from '../../schemas/records/search.js'
import type { Bench } from '../experiment.js'
import { switchIndex } from '../measure/jobs.js'
import { scan } from '../measure/scan.js'
import type { SetSize } from './set-index-sets.js'

type Plan = NonNullable<ScanRequest['plan']>
export type Engine = Exclude<NamespaceConfig['storage']['engine'], 'paged' | 'cassandra'>

/** Plans that are forced on a device, to compare with the planner's choice. */
const FORCED: readonly Plan[] = ['device', 'set-index', 'set-column']
const MOST_ROUNDS = 8
/** Short scans are repeated before the index is switched again. */
const BURST = 3
const BURST_MS = 100
/** A forced plan that takes this many times as long as the best is stopped, because it cannot win. */
const HOPELESS = 1.5
const HOPELESS_LEAST_MS = 100

export interface Row extends LabRow {
  storage: Engine
  set: string
  records: number
  sharePct: number
  namespaceRecords: number
  threads: number
  index: 'on' | 'off'
  /** The requested plan. */
  plan: Plan
  /** The plan that the scan used. */
  method: string
  /** `stopped`: the scan would have taken longer than `elapsedMs`. */
  outcome: 'done' | 'stopped'
  /** The engine's own time, median of the scans. */
  elapsedMs: number
  fastestMs: number
  estimatedMs: number
  scans: number
  recordsRead: number
  bytesRead: number
  indexBytes: number
}

export interface Group extends SetSize {
  namespace: string
  storage: Engine
  namespaceRecords: number
  threads: number
  /** Least seconds of the group. */
  leastSeconds: number
  /** Seconds left for the group. */
  left: () => number
}

interface Way {
  index: 'on' | 'off'
  plan: Plan
  elapsed: number[]
  indexBytes: number
  /** Its plan and estimate. */
  explained?: ScanPlan
  last?: StreamSummary
  stoppedAfterMs?: number
}

/** One row per way to scan the set. The planner's choice with and without the index comes first. */
export async function rowsOf(bench: Bench, group: Group): Promise<Row[]> {
  const way = (index: Way['index'], plan: Plan): Way => ({ index, plan, elapsed: [], indexBytes: 0 })
  const forced = group.storage === 'device' ? FORCED.map((plan) => way('on', plan)) : []
  const ways = [way('off', 'auto'), way('on', 'auto'), ...forced]
  const until = performance.now() + 1000 * group.leastSeconds
  const goesOn = (round: number): boolean => performance.now() < until || (round < MOST_ROUNDS && group.left() > 0)
  for (let round = 0; round === 0 || goesOn(round); round++) {
    for (const index of round % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const)) {
      const indexBytes = await switchIndex(bench, group.namespace, group.set, index === 'on')
      const these = ways.filter((each) => each.index === index)
      for (const each of these) each.indexBytes = indexBytes
      await burst(bench, group, these)
    }
  }
  return ways.map((each) => rowOf(group, each))
}

/** Runs the ways in turn, as often as a burst allows. */
async function burst(bench: Bench, group: Group, ways: readonly Way[]): Promise<void> {
  const begin = performance.now()
  for (let again = 0; again === 0 || (again < BURST && performance.now() - begin < BURST_MS); again++) {
    for (const way of ways) {
      if (way.stoppedAfterMs !== undefined) continue
      const mostMs = way.plan === 'auto' ? undefined : mostMsOf(ways)
      const request: ScanRequest = { set: group.set, threads: group.threads, plan: way.plan }
      way.explained ??= await bench.api.call('POST', `/namespaces/${group.namespace}/scan?explain=true`, request)
      const summary = await scan(bench, group.namespace, { ...request, ...(mostMs !== undefined && { mostMs }) })
      if (summary === undefined) way.stoppedAfterMs = mostMs ?? 0
      else {
        if (summary.returned !== group.records)
          throw new Error(`a scan of set ${group.set} returned ${summary.returned} records`)
        way.elapsed.push(summary.elapsedMs)
        way.last = summary
      }
    }
  }
}

const mostMsOf = (ways: readonly Way[]): number =>
  Math.max(HOPELESS_LEAST_MS, HOPELESS * Math.min(...ways.map(({ elapsed }) => median(elapsed)).filter((ms) => ms > 0)))

function rowOf(group: Group, { index, plan, elapsed, explained, last, stoppedAfterMs, indexBytes }: Way): Row {
  const { storage, set, records, namespaceRecords, threads } = group
  return {
    storage,
    set,
    records,
    sharePct: Number(((records / namespaceRecords) * 100).toPrecision(3)),
    namespaceRecords,
    threads,
    index,
    plan,
    method: last?.method ?? explained?.method ?? plan,
    outcome: elapsed.length > 0 ? 'done' : 'stopped',
    elapsedMs: micros(elapsed.length > 0 ? median(elapsed) : (stoppedAfterMs ?? 0)),
    fastestMs: micros(elapsed.length > 0 ? Math.min(...elapsed) : (stoppedAfterMs ?? 0)),
    estimatedMs: micros(explained?.estimatedMs ?? 0),
    scans: elapsed.length,
    recordsRead: last?.scanned ?? 0,
    bytesRead: last?.reads?.bytes ?? 0,
    indexBytes,
  }
}

/** Rounds to tenths of a microsecond; the shortest scans need them. */
const micros = (ms: number): number => Math.round(ms * 10_000) / 10_000

/** The median; 0 without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]]
  return low === undefined || high === undefined ? 0 : (low + high) / 2
}
