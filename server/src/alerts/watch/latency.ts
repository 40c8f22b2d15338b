// Latency and rates of one namespace over the last seconds: counts are added as they come and taken off as they go.
import { BUCKETS, lowerNs } from '../../live/buckets.js'
import type { AlertOp } from '../../schemas/alerts/rules.js'
import type { LatencySeries } from '../../schemas/server/metrics.js'

const NANOS_PER_MS = 1e6

const groups: Partial<Record<AlertOp, ReadonlySet<string>>> = {
  reads: new Set(['get', 'scan', 'query', 'index-lookup']),
  writes: new Set(['put', 'update', 'delete']),
}

export interface SeriesChoice {
  op: AlertOp
  side: LatencySeries['side']
}

export function counts({ op, side }: SeriesChoice, series: LatencySeries): boolean {
  if (series.side !== side) return false
  return op === 'all' || op === series.op || (groups[op]?.has(series.op) ?? false)
}

interface Second {
  atMs: number
  durationMs: number
  series: readonly LatencySeries[]
}

export class LatencyWindow {
  readonly #choice: SeriesChoice
  readonly #windowMs: number
  #seconds: Second[] = []
  readonly #buckets = new Float64Array(BUCKETS)
  #ok = 0
  #errors = 0
  #sumNs = 0
  #durationMs = 0

  constructor(choice: SeriesChoice, windowSeconds: number) {
    this.#choice = choice
    this.#windowMs = windowSeconds * 1000
  }

  /** Adds a second; one without operations is a second with none. A second that never comes is no data. */
  push(atMs: number, durationMs: number, all: readonly LatencySeries[]): void {
    const series = all.filter((one) => counts(this.#choice, one))
    const second = { atMs, durationMs, series }
    this.#seconds.push(second)
    this.#add(second, 1)
    // A clock that jumped back must not keep old seconds for ever.
    const gone = this.#seconds.filter((one) => one.atMs <= atMs - this.#windowMs || one.atMs > atMs)
    if (gone.length === 0) return
    this.#seconds = this.#seconds.filter((one) => one.atMs > atMs - this.#windowMs && one.atMs <= atMs)
    for (const one of gone) this.#add(one, -1)
  }

  get operations(): number {
    return this.#ok + this.#errors
  }

  /** Undefined without a second. */
  perSecond(): number | undefined {
    return this.#durationMs === 0 ? undefined : (this.operations * 1000) / this.#durationMs
  }

  errorsPerSecond(): number | undefined {
    return this.#durationMs === 0 ? undefined : (this.#errors * 1000) / this.#durationMs
  }

  errorPercent(): number | undefined {
    return this.operations === 0 ? undefined : (this.#errors * 100) / this.operations
  }

  meanMs(): number | undefined {
    return this.operations === 0 ? undefined : this.#sumNs / this.operations / NANOS_PER_MS
  }

  maxMs(): number | undefined {
    if (this.operations === 0) return undefined
    return this.#maxNs() / NANOS_PER_MS
  }

  /** Undefined with fewer than 10 / (1 - q) operations: they do not tell. */
  quantileMs(q: number): number | undefined {
    const n = this.operations
    if (n === 0 || n < 10 / (1 - q) - 1e-6) return undefined
    const rank = Math.max(1, Math.ceil(q * n))
    let below = 0
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      const count = this.#buckets[bucket] ?? 0
      if (count > 0 && below + count >= rank) {
        const lower = bucket === 0 ? 0 : lowerNs(bucket)
        const value = lower + ((rank - below) / count) * (lowerNs(bucket + 1) - lower)
        return Math.min(value, this.#maxNs()) / NANOS_PER_MS
      }
      below += count
    }
    return this.#maxNs() / NANOS_PER_MS
  }

  #maxNs(): number {
    let most = 0
    for (const { series } of this.#seconds) for (const { maxNs } of series) most = Math.max(most, maxNs)
    return most
  }

  #add({ durationMs, series }: Second, sign: 1 | -1): void {
    this.#durationMs += sign * durationMs
    // Sums of fractions must not leave a rest.
    if (this.#seconds.length === 0) this.#durationMs = 0
    for (const { outcome, count, sumNs, buckets } of series) {
      if (outcome === 'ok') this.#ok += sign * count
      else this.#errors += sign * count
      this.#sumNs += sign * sumNs
      for (let i = 0; i + 1 < buckets.length; i += 2) {
        const bucket = buckets[i] ?? 0
        this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + sign * (buckets[i + 1] ?? 0)
      }
    }
  }
}
