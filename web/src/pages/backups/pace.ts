import { type Bounds, numberError, THREADS } from '../../ui/number'

/** How fast a job works, as typed; empty: the default. */
export interface Pace {
  threads: string
  recordsPerSecond: string
}

export const emptyPace: Pace = { threads: '', recordsPerSecond: '' }

/** How many records a second a job may read at most. */
export const RATE: Bounds = { min: 1, max: 999_999_999 }

export function paceProblems({ threads, recordsPerSecond }: Pace): Partial<Pace> {
  const [threadsError, rateError] = [numberError(threads, THREADS), numberError(recordsPerSecond, RATE)]
  return {
    ...(threadsError !== undefined && { threads: threadsError }),
    ...(rateError !== undefined && { recordsPerSecond: rateError }),
  }
}

/** The part of a request that says it. */
export const paceOf = ({ threads, recordsPerSecond }: Pace): { threads?: number; recordsPerSecond?: number } => ({
  ...(threads !== '' && { threads: Number(threads) }),
  ...(recordsPerSecond !== '' && { recordsPerSecond: Number(recordsPerSecond) }),
})
