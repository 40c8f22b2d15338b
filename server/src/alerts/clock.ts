// The time, so that tests can set it.

export interface Clock {
  /** Unix milliseconds. */
  now: () => number
  /** Milliseconds that passed since some moment, whatever the time is set to. */
  steady: () => number
  /** Calls `work` after `ms`; the returned function calls it off. */
  after: (ms: number, work: () => void) => () => void
}

export const wallClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms).unref()
    return () => clearTimeout(timer)
  },
}

export const iso = (ms: number): string => new Date(ms).toISOString()
