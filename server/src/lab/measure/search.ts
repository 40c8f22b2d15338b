// Searches the highest steady rate within a time: which rate to run next, and for how long.
import { isSteady, type Pool, secondsOf, strainOf } from './pool.js'

/** Whole seconds. */
export interface Pace {
  /** A run that searches. */
  run: number
  /** Total time of an attempt before its rate counts as steady. */
  least: number
  /** Total time of an attempt before it is given up; earlier if it can no longer become steady in that time. */
  patience: number
  /** Total time at the reported rate, if there is enough time. */
  closing: number
}

export interface Step {
  rate: number
  seconds: number
  /** Whether the run begins a new attempt. */
  afresh: boolean
  /** Whether the search is over: the run only confirms the rate that it found. */
  closes: boolean
}

/** Overhead of starting and ending a run, seconds. */
const AROUND = 0.15

/**
 * Failed attempts before a rate counts as failed, because a stall of the machine is not its fault:
 * before and after a rate has held.
 */
const ATTEMPTS = { first: 2, later: 3 }

/** Factors of the search: up while rates hold, down while none holds, then bisection. */
const UP = 1.3
const DOWN = 0.6
const NEAR_ENOUGH = 1.1
/** Share of the peak below which a failure is not due to the rate. */
const LOWEST = 0.02

/** @param left seconds; the first rate gets enough time to become steady even if they are over */
export function nextStep(pools: readonly Pool[], pace: Pace, peak: number, left: number): Step | undefined {
  const best = bestOf(pools, pace)
  const fits = left >= pace.run + AROUND
  const open = pools.find((pool) => isOpen(pool, pace, left))
  if (open !== undefined) {
    const first = pools.length === 1 && open.attempt === 1 && secondsOf(open) < pace.least
    return fits || first ? { rate: open.rate, seconds: pace.run, afresh: false, closes: false } : undefined
  }
  const held = best?.rate ?? 0
  const above = pools.filter(({ rate }) => rate > held).toSorted((a, b) => a.rate - b.rate)
  const failed = above[0]
  const again = failed !== undefined && failed.attempt < (best === undefined ? ATTEMPTS.first : ATTEMPTS.later)
  const rate = again ? failed.rate : nextRate(held, failed?.rate ?? Infinity, peak)
  // A rate that holds runs as long as the result does. For one that fails, leave that time for the best so far.
  const needed = best === undefined ? pace.least : pace.closing
  if (rate !== undefined && left >= needed + (AROUND * needed) / pace.run)
    return { rate, seconds: pace.run, afresh: true, closes: false }
  const seconds = best === undefined ? 0 : Math.min(pace.closing - secondsOf(best), Math.floor(left - AROUND))
  return best !== undefined && seconds > 0 ? { rate: best.rate, seconds, afresh: false, closes: true } : undefined
}

/** The attempt at the highest rate that holds: the result. */
export function bestOf(pools: readonly Pool[], pace: Pace): Pool | undefined {
  return pools
    .filter((pool) => isSteady(pool) && secondsOf(pool) >= pace.least)
    .reduce<Pool | undefined>((best, pool) => (best !== undefined && best.rate > pool.rate ? best : pool), undefined)
}

/** Whether more runs could still prove a rate steady, and leave enough time to prove a lower one. */
function isOpen(pool: Pool, { least, patience }: Pace, left: number): boolean {
  const seconds = secondsOf(pool)
  if (isSteady(pool)) return seconds < least
  const most = Math.min(patience, seconds + left - least)
  return seconds < most && strainOf(pool) * seconds <= most
}

function nextRate(held: number, failed: number, peak: number): number | undefined {
  if (held === 0) return failed * DOWN >= peak * LOWEST ? failed * DOWN : undefined
  if (failed === Infinity) return peak / held > NEAR_ENOUGH ? Math.min(peak, held * UP) : undefined
  return failed / held > NEAR_ENOUGH ? Math.sqrt(failed * held) : undefined
}
