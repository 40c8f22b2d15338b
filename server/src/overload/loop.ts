// Delay of the event loop over the last seconds, and since when it is too high.
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { LoopDelay } from '../schemas/server/gateway.js'

const RESOLUTION_MS = 20
const NANOS_PER_MS = 1e6
/** The figures cover this many seconds, up to twice as many. */
export const WINDOW_SECONDS = 3

/** Delays of the last seconds. Two monitors restart in turn; the figures come from the one that has run longer. */
export class LoopWatch {
  readonly #monitors = [1, 2].map(() => monitorEventLoopDelay({ resolution: RESOLUTION_MS })) as [
    IntervalHistogram,
    IntervalHistogram,
  ]
  readonly #alarm: Alarm
  #seconds = 0

  /** `alarmMs`: the 99th percentile that raises the alarm. */
  constructor(alarmMs: number) {
    this.#alarm = new Alarm(alarmMs)
  }

  /** Another bound from now on. */
  alarmAt(alarmMs: number): void {
    this.#alarm.bound = alarmMs
  }

  /** Begins to measure. */
  open(): void {
    for (const monitor of this.#monitors) monitor.enable()
  }

  /** Call it once per second. */
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

  /** Time since when it has been too late; undefined if it is not. */
  get lateSince(): Date | undefined {
    return this.#alarm.since
  }

  close(): void {
    for (const monitor of this.#monitors) monitor.disable()
  }

  /** The monitor that has run longer and restarts next. */
  get #older(): IntervalHistogram {
    return this.#monitors[Math.floor(this.#seconds / WINDOW_SECONDS) % 2 === 0 ? 1 : 0]
  }
}

/** The monitor reports the time between two samples; subtract its resolution to get the delay. */
const lateness = (nanos: number): number => Math.max(0, Math.round((nanos / NANOS_PER_MS - RESOLUTION_MS) * 10) / 10)

/** Remembers since when a value has exceeded its bound. */
export class Alarm {
  bound: number
  #since: Date | undefined

  constructor(bound: number) {
    this.bound = bound
  }

  look(figure: number, now: Date): void {
    if (figure <= this.bound) this.#since = undefined
    else this.#since ??= now
  }

  get since(): Date | undefined {
    return this.#since
  }
}
