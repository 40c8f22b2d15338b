// A latency target over the last minute to the last 30 days: exact counts in rings, and what they say.
import type { BurnRate, TargetReport, TargetWindow } from '../../schemas/alerts/alerts.js'
import type { AlertTarget } from '../../schemas/alerts/rules.js'
import { type LatencySeries, sloEdgesNs } from '../../schemas/server/metrics.js'
import type { Amount } from '../../sentences/amount.js'
import { counts, type SeriesChoice } from './latency.js'

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60

/** A frame lies in the slot of its end less half a second, as in the history of the engine. */
export const LATE_MS = 500

interface Sum {
  operations: number
  within: number
}

/** Counts by slots of equal length; a slot without a frame has none. */
class Ring {
  readonly slotMs: number
  readonly #slots: { number: number; operations: number; within: number }[]

  constructor(slotMs: number, length: number) {
    this.slotMs = slotMs
    this.#slots = Array.from({ length }, () => ({ number: -1, operations: 0, within: 0 }))
  }

  get spanMs(): number {
    return this.slotMs * this.#slots.length
  }

  add(atMs: number, { operations, within }: Sum): void {
    const number = Math.floor((atMs - LATE_MS) / this.slotMs)
    const slot = this.#slots[number % this.#slots.length]
    // A slot that is newer than a late frame stays.
    if (slot === undefined || slot.number > number) return
    if (slot.number < number) Object.assign(slot, { number, operations: 0, within: 0 })
    slot.operations += operations
    slot.within += within
  }

  /** The slots of the last `minutes`, the open one included. */
  sum(atMs: number, minutes: number): Sum {
    const last = Math.floor((atMs - LATE_MS) / this.slotMs)
    const first = last - Math.round((minutes * MINUTE_MS) / this.slotMs)
    const sum = { operations: 0, within: 0 }
    for (let number = Math.max(0, first + 1); number <= last; number += 1) {
      const slot = this.#slots[number % this.#slots.length]
      if (slot?.number !== number) continue
      sum.operations += slot.operations
      sum.within += slot.within
    }
    return sum
  }
}

/** What the rings of a target hold. The past is read in steps of their slots. */
export const rings = [
  { slotMs: 10_000, length: 360 },
  { slotMs: 5 * MINUTE_MS, length: 288 },
  { slotMs: 120 * MINUTE_MS, length: 360 },
] as const

const windows = [
  { window: 'minute', minutes: 1 },
  { window: 'hour', minutes: 60 },
  { window: 'day', minutes: DAY_MINUTES },
  { window: 'month', minutes: 30 * DAY_MINUTES },
] as const

/** Fires if both windows reach the limit: the long one says that it matters, the short one that it goes on. */
const pairs = [
  { longMinutes: 60, shortMinutes: 5, limit: 14.4 },
  { longMinutes: 6 * 60, shortMinutes: 30, limit: 6 },
  { longMinutes: 3 * DAY_MINUTES, shortMinutes: 6 * 60, limit: 1 },
] as const

/** An alert is resolved only below this share of the limit. */
const CLEAR_SHARE = 0.8

export interface TargetVerdict {
  /** Undefined: no data. */
  breach: boolean | undefined
  clear: boolean
}

export class TargetWatch {
  readonly #target: AlertTarget
  readonly #choice: SeriesChoice
  readonly #edge: number
  readonly #allowed: number
  readonly #rings = rings.map(({ slotMs, length }) => new Ring(slotMs, length))
  #seeded = false

  constructor(target: AlertTarget) {
    this.#target = target
    this.#choice = { op: target.op ?? 'all', side: target.side ?? 'engine' }
    this.#edge = sloEdgesNs.findIndex((edge) => edge === target.withinUs * 1000)
    this.#allowed = 1 - target.percent / 100
  }

  /** False until the past is in it: before that, nothing is judged. */
  get seeded(): boolean {
    return this.#seeded
  }

  push(atMs: number, series: readonly LatencySeries[]): void {
    const sum = this.#count(series)
    if (sum.operations > 0) for (const ring of this.#rings) ring.add(atMs, sum)
  }

  /** Adds a step of the past to the ring with slots of this length. */
  addPast(slotMs: number, atMs: number, series: readonly LatencySeries[]): void {
    this.#rings.find((ring) => ring.slotMs === slotMs)?.add(atMs, this.#count(series))
  }

  /** Without a past, what comes is judged all the same. */
  endPast(): void {
    this.#seeded = true
  }

  verdict(atMs: number): TargetVerdict {
    if (!this.#seeded) return { breach: undefined, clear: false }
    const rates = this.#burnRates(atMs)
    if (!rates.some(({ long, short }) => long !== undefined && short !== undefined))
      return { breach: undefined, clear: false }
    const breach = rates.some(({ long = 0, short = 0, limit }) => long >= limit && short >= limit)
    // A short window without operations does not say that it is over.
    const clear = rates.every(
      ({ long = 0, short = Infinity, limit }) => long < limit * CLEAR_SHARE || short < limit * CLEAR_SHARE,
    )
    return { breach, clear }
  }

  report(atMs: number): TargetReport {
    const { percent, withinUs } = this.#target
    const all = windows.map(({ window, minutes }) => this.#window(atMs, window, minutes))
    const missed = missedIn({ windows: all, percent }) !== undefined
    return { percent, withinUs, op: this.#choice.op, missed, windows: all, burnRates: this.#burnRates(atMs) }
  }

  #window(atMs: number, window: TargetWindow['window'], minutes: number): TargetWindow {
    const { operations, within } = this.#sum(atMs, minutes)
    const enough = this.#enough(operations)
    if (operations === 0) return { window, operations, within, enough }
    const missedShare = 1 - within / operations
    return {
      window,
      operations,
      within,
      sharePercent: (within / operations) * 100,
      enough,
      budgetLeftPercent: (1 - missedShare / this.#allowed) * 100,
    }
  }

  #burnRates(atMs: number): BurnRate[] {
    const burn = ({ operations, within }: Sum): number => (operations - within) / operations / this.#allowed
    return pairs.map(({ longMinutes, shortMinutes, limit }) => {
      const [long, short] = [this.#sum(atMs, longMinutes), this.#sum(atMs, shortMinutes)]
      // What the short window has alone says nothing about the long one.
      const known = this.#enough(long.operations) && long.operations > short.operations
      return {
        longMinutes,
        shortMinutes,
        limit,
        ...(known && { long: burn(long) }),
        ...(short.operations > 0 && { short: burn(short) }),
      }
    })
  }

  /** Ten misses must be allowed: with fewer operations, one slow one decides. */
  #enough(operations: number): boolean {
    return operations * this.#allowed >= 10 - 1e-6
  }

  #sum(atMs: number, minutes: number): Sum {
    const ring = this.#rings.find(({ spanMs }) => minutes * MINUTE_MS <= spanMs) ?? this.#rings.at(-1)
    return ring?.sum(atMs, minutes) ?? { operations: 0, within: 0 }
  }

  /** Failed operations miss the target, however fast they failed. */
  #count(series: readonly LatencySeries[]): Sum {
    const sum = { operations: 0, within: 0 }
    for (const one of series) {
      if (!counts(this.#choice, one)) continue
      sum.operations += one.count
      if (one.outcome === 'ok') sum.within += one.slo[this.#edge] ?? 0
    }
    return sum
  }
}

/** The last minute or hour, if it misses the target; with fewer operations than tell, neither does. */
export function missedIn({
  windows: all,
  percent,
}: Pick<TargetReport, 'windows' | 'percent'>): TargetWindow | undefined {
  return all.find(
    ({ window, enough, sharePercent = 100 }) =>
      (window === 'minute' || window === 'hour') && enough && sharePercent < percent,
  )
}

/** Rounded down, so that a missed target never looks met. */
export function shareOf(sharePercent: number, target: number): Amount {
  const decimals = Math.max(2, String(target).split('.')[1]?.length ?? 0)
  const factor = 10 ** decimals
  return { amount: Math.floor(sharePercent * factor) / factor, unit: 'percent', decimals }
}
