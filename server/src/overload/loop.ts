// How late the event loop is: what it was in the last seconds, and since when that is too much.
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { LoopDelay } from '../schemas/gateway.js'

const RESOLUTION_MS = 20
const NANOS_PER_MS = 1e6
/** The figures are of so many seconds, and of up to twice as many. */
export const WINDOW_SECONDS = 3

/** Delays of the last seconds. Two monitors take turns at being begun anew, and the figures are of the one that has gone on for longer. */
export class LoopWatch {
  readonly #monitors = [1, 2].map(() => monitorEventLoopDelay({ resolution: RESOLUTION_MS })) as [
    IntervalHistogram,
    IntervalHistogram,
  ]
  readonly #alarm: Alarm
  #seconds = 0

  /** `alarmMs`: the 99th percentile that is too much. */
  constructor(alarmMs: number) {
    this.#alarm = new Alarm(alarmMs)
  }

  /** Begins to measure. */
  open(): void {
    for (const monitor of this.#monitors) monitor.enable()
  }

  /** To be called once a second. */
  second(now: Date): void {
    this.#alarm.look(this.delay().p99Ms, now)
    if ((this.#seconds + 1) % WINDOW_SECONDS === 0) this.#older.reset()
    this.#seconds += 1
  }

  delay(): LoopDelay {
    const older = this.#older
    if (older.count === 0) return { p50Ms: 0, p99Ms: 0, maxMs: 0 }
    return {
      p50Ms: lateness(older.percentile(50)),
      p99Ms: lateness(older.percentile(99)),
      maxMs: lateness(older.max),
    }
  }

  /** Since when it has been too late, if it is. */
  get lateSince(): Date | undefined {
    return this.#alarm.since
  }

  close(): void {
    for (const monitor of this.#monitors) monitor.disable()
  }

  /** The monitor that was begun earlier, and is begun anew next. */
  get #older(): IntervalHistogram {
    return this.#monitors[Math.floor(this.#seconds / WINDOW_SECONDS) % 2 === 0 ? 1 : 0]
  }
}

/** The monitor counts the time between two looks, of which the resolution is no delay. */
const lateness = (nanos: number): number => Math.max(0, Math.round((nanos / NANOS_PER_MS - RESOLUTION_MS) * 10) / 10)

/** Remembers since when a figure has been beyond its bound. */
export class Alarm {
  readonly #bound: number
  #since: Date | undefined

  constructor(bound: number) {
    this.#bound = bound
  }

  look(figure: number, now: Date): void {
    if (figure <= this.#bound) this.#since = undefined
    else this.#since ??= now
  }

  get since(): Date | undefined {
    return this.#since
  }
}
