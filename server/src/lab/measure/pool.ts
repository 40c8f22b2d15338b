// An attempt at a rate: the sum of its runs. Every run counts, even if the machine stalled in it.
import { type DeviceFigures, figures, type Totals } from './device.js'
import type { Result } from './load.js'

/** Shares within 1 ms that make a rate steady, percent. */
export const READS_WITHIN = 97
export const WRITES_WITHIN = 99.5
/** Least share of due operations that must be done, percent. */
const KEPT_UP = 99

/** The shape of a client: its threads, and the operations in flight per thread. */
export interface Shape {
  threads: number
  window: number
}

/** A run of an open loop. */
export interface Run {
  /** Time in which operations were due. */
  seconds: number
  result: Result
  device: Totals
}

export interface Pool {
  /** Operations due per second. */
  rate: number
  shape: Shape
  /** Number of the attempt at this rate, from 1. */
  attempt: number
  runs: readonly Run[]
}

/** One kind of operation over all runs. */
export interface Kind {
  under1msPct: number
  stdDevMs: number
}

export interface Pooled {
  seconds: number
  /** Operations a second. */
  tps: number
  read: Kind
  write: Kind
  cpuPct: number
  cpuMicrosPerOperation: number
  device: DeviceFigures
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number => items.reduce((all, item) => all + of(item), 0)

export const secondsOf = ({ runs }: Pool): number => sum(runs, ({ seconds }) => seconds)

export function pooled(pool: Pool): Pooled {
  const seconds = secondsOf(pool)
  const results = pool.runs.map(({ result }) => result)
  const operations = sum(results, (result) => result.operations)
  const elapsed = sum(results, ({ elapsedSeconds }) => elapsedSeconds)
  const cpuMicros = sum(results, (result) => result.cpuMicrosPerOperation * result.operations)
  return {
    seconds,
    // Divide by the time in which they were due; the last ones end a little later.
    tps: operations / seconds,
    read: kind(results.map(({ read }) => read)),
    write: kind(results.map(({ write }) => write)),
    cpuPct: cpuMicros / 1e4 / elapsed,
    cpuMicrosPerOperation: operations === 0 ? 0 : cpuMicros / operations,
    device: figures(
      pool.runs.map(({ device }) => device),
      elapsed,
    ),
  }
}

function kind(parts: readonly Result['read'][]): Kind {
  const count = sum(parts, (part) => part.count)
  if (count === 0) return { under1msPct: 100, stdDevMs: 0 }
  const mean = sum(parts, (part) => part.count * part.meanMs) / count
  const squares = sum(parts, (part) => part.count * (part.stdDevMs ** 2 + part.meanMs ** 2)) / count
  return {
    under1msPct: sum(parts, (part) => part.count * part.under1msPct) / count,
    stdDevMs: Math.sqrt(Math.max(0, squares - mean ** 2)),
  }
}

/** Largest part of the allowance for late or missed operations that was used; at most 1 is steady. */
export function strainOf(pool: Pool): number {
  if (pool.runs.length === 0 || pool.runs.some(({ result }) => Object.keys(result.errors).length > 0)) return Infinity
  const { tps, read, write } = pooled(pool)
  const used = (percent: number, wanted: number): number => (100 - percent) / (100 - wanted)
  return Math.max(
    used(read.under1msPct, READS_WITHIN),
    used(write.under1msPct, WRITES_WITHIN),
    used((tps / pool.rate) * 100, KEPT_UP),
  )
}

/** All runs together decide, so neither one stall nor one lucky run does. */
export const isSteady = (pool: Pool): boolean => strainOf(pool) <= 1
