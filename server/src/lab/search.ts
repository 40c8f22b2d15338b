// Which rate to run next, and for how long, when the highest steady one is wanted within a time.
import { isSteady, type Pool, secondsOf, strainOf } from './pool.js'

/** Whole seconds. */
export interface Pace {
  /** A run that searches. */
  run: number
  /** Runs of an attempt, together, before its rate is taken for steady. */
  least: number
  /** Runs of an attempt, together, before it is given up; earlier once it cannot be steady in that time any more. */
  patience: number
  /** Runs at the rate that is reported, together, where the time allows. */
  closing: number
}

export interface Step {
  rate: number
  seconds: number
  /** Whether the run begins an attempt of its own. */
  afresh: boolean
  /** Whether the search is over: the run adds to what is known of the rate that it found. */
  closes: boolean
}

/** Beginning and ending a run, seconds. */
const AROUND = 0.15

/** A stall of the machine is not the rate's fault: a rate has failed when so many attempts have, with nothing held yet and then. */
const ATTEMPTS = { first: 2, later: 3 }

/** Steps of the search: up while rates hold, down while none has, then between the two. */
const UP = 1.3
const DOWN = 0.6
const NEAR_ENOUGH = 1.1
/** Part of the peak below which it is not the rate that fails. */
const LOWEST = 0.02

/** @param left seconds; the first rate gets what it takes to be taken for steady even when they are over */
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
  // One that holds is run as long as the result is; of one that does not, as much is left for the best so far.
  const needed = best === undefined ? pace.least : pace.closing
  if (rate !== undefined && left >= needed + (AROUND * needed) / pace.run)
    return { rate, seconds: pace.run, afresh: true, closes: false }
  const seconds = best === undefined ? 0 : Math.min(pace.closing - secondsOf(best), Math.floor(left - AROUND))
  return best !== undefined && seconds > 0 ? { rate: best.rate, seconds, afresh: false, closes: true } : undefined
}

/** The attempt whose rate is the result: the highest that holds. */
export function bestOf(pools: readonly Pool[], pace: Pace): Pool | undefined {
  return pools
    .filter((pool) => isSteady(pool) && secondsOf(pool) >= pace.least)
    .reduce<Pool | undefined>((best, pool) => (best !== undefined && best.rate > pool.rate ? best : pool), undefined)
}

/** Whether more runs may show that a rate is steady, and leave the time to show it of a lower one if they do not. */
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
