// Time for tests, by hand.
import type { Clock } from '../src/alerts/clock.js'

/** A clock that stands still; `after` calls back when `pass` has passed. */
export class HandClock implements Clock {
  #now = Date.now()
  #waiting: (() => void) | undefined

  readonly now = (): number => this.#now
  readonly steady = (): number => this.#now
  readonly after = (_ms: number, work: () => void): (() => void) => {
    this.#waiting = work
    return () => {
      this.#waiting = undefined
    }
  }

  /** Lets time pass, and whoever waits look. */
  pass(ms: number): void {
    this.#now += ms
    const work = this.#waiting
    this.#waiting = undefined
    work?.()
  }
}
