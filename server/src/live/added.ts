// What the gateway adds to a request for records: the time from its head to the last byte of its answer, less the time in
// the engine. A difference of two percentiles is none of a difference, so the added time itself is counted.
import { type Operation, sloEdgesNs } from '../schemas/server/metrics.js'
import { BUCKETS, bucketOf, lowerNs } from './buckets.js'

/** Operations on records by key. How long a longer answer takes is up to its reader. */
const COUNTED: ReadonlySet<Operation> = new Set(['get', 'put', 'update', 'delete', 'batch'])
/** Behind the buckets and the overflow: times by the first edge that they do not exceed, then their sum. */
const EDGES = BUCKETS + 1
const SUM = EDGES + sloEdgesNs.length + 1

const WINDOW_MS = 5 * 60_000
const STEP_MS = 10_000

/** Counts since the start, by place. Those of several threads are added up place by place. */
export type AddedCounts = Float64Array

export const noneAdded = (): AddedCounts => new Float64Array(SUM + 1)

export const bothAdded = (a: AddedCounts, b: AddedCounts): AddedCounts =>
  a.map((value, place) => value + (b[place] ?? 0))

const lessAdded = (a: AddedCounts, b: AddedCounts): AddedCounts => a.map((value, place) => value - (b[place] ?? 0))

/** Counts one request. */
export function countAdded(counts: AddedCounts, op: Operation, nanos: number): void {
  if (!COUNTED.has(op)) return
  // Calls of one request may overlap in the engine, so that their sum is longer than the request.
  const ns = Math.max(nanos, 0)
  const bucket = bucketOf(ns)
  counts[bucket] = (counts[bucket] ?? 0) + 1
  let edge = 0
  while (edge < sloEdgesNs.length && ns > (sloEdgesNs[edge] ?? 0)) edge += 1
  counts[EDGES + edge] = (counts[EDGES + edge] ?? 0) + 1
  counts[SUM] = (counts[SUM] ?? 0) + ns
}

export interface AddedHistogram {
  count: number
  sumNs: number
  overflow: number
  /** At or under each edge. */
  slo: number[]
  /** Pairs of a bucket and its count. */
  buckets: number[]
}

export function histogramOf(counts: AddedCounts): AddedHistogram {
  let count = 0
  const slo = sloEdgesNs.map((_, edge) => (count += counts[EDGES + edge] ?? 0))
  const buckets: number[] = []
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    const requests = counts[bucket] ?? 0
    if (requests > 0) buckets.push(bucket, requests)
  }
  count += counts[EDGES + sloEdgesNs.length] ?? 0
  return { count, sumNs: counts[SUM] ?? 0, overflow: counts[BUCKETS] ?? 0, slo, buckets }
}

/** A quantile in nanoseconds, evenly spread inside of its bucket; undefined without requests. */
export function quantileOf({ count, buckets }: AddedHistogram, q: number): number | undefined {
  if (count === 0) return undefined
  const rank = Math.max(1, Math.ceil(q * count))
  let below = 0
  for (let i = 0; i < buckets.length; i += 2) {
    const [bucket = 0, requests = 0] = [buckets[i], buckets[i + 1]]
    if (below + requests >= rank) {
      const lower = bucket === 0 ? 0 : lowerNs(bucket)
      return lower + ((rank - below) / requests) * (lowerNs(bucket + 1) - lower)
    }
    below += requests
  }
  return lowerNs(BUCKETS)
}

/** The counts of the last minutes: those since the start, less what they were then. */
export class AddedWindow {
  readonly #now: () => AddedCounts
  readonly #startMs = performance.now()
  #past: { atMs: number; counts: AddedCounts }[] = []
  #steps: NodeJS.Timeout | undefined

  /** `now`: the counts of all threads since the start. */
  constructor(now: () => AddedCounts) {
    this.#now = now
    this.#past.push({ atMs: this.#startMs, counts: noneAdded() })
  }

  open(): void {
    this.#steps = setInterval(() => this.#step(), STEP_MS).unref()
  }

  close(): void {
    clearInterval(this.#steps)
  }

  last(): { seconds: number; counts: AddedCounts } {
    const [first] = this.#past
    const seconds = (performance.now() - (first?.atMs ?? this.#startMs)) / 1000
    return { seconds, counts: lessAdded(this.#now(), first?.counts ?? noneAdded()) }
  }

  #step(): void {
    const atMs = performance.now()
    this.#past = this.#past.filter((step) => step.atMs > atMs - WINDOW_MS - STEP_MS)
    this.#past.push({ atMs, counts: this.#now().slice() })
  }
}
