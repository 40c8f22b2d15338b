// An attempt at a rate: runs that are added up. All of them count: none is left out because the machine stalled in it.
import { type DeviceFigures, figures, type Totals } from './device.js'
import type { Result } from './load.js'

/** Shares that have to end within 1 ms for a rate to count as steady, percent. */
export const READS_WITHIN = 97
export const WRITES_WITHIN = 99.5
/** What is due has to be done: this share of it at least, percent. */
const KEPT_UP = 99

/** How a client works: its threads, and the operations that each keeps in flight. */
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
  /** Operations that are due in a second. */
  rate: number
  shape: Shape
  /** The how-manieth at this rate, from 1. */
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
    // Of the seconds in which they were due: the last ones end a little later.
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

/** How much of what may be late or undone has been, the worst of all: 1 and less is steady. */
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

/** Decided by all runs together, so that neither one stall nor one lucky run does. */
export const isSteady = (pool: Pool): boolean => strainOf(pool) <= 1
