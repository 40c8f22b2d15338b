// Admission control by measured delay: if the event loop stays late, a share of the data requests is refused, so that the
// others are served in time. It has no clock: the caller passes the time.

/** How long the loop must be late before requests are refused; a single pause is not an overload. */
const INTERVAL_MS = 200
/** If the last overload ended within this time and the loop is late again, requests are refused at once. */
const KNOWN_MS = 2000
/** Requests always served after each measurement: a few callers are never the overload. */
const FLOOR = 16
/** Least share served: with none, it could never find out that the share is too small. */
const SHARE_MIN = 0.02
/** An overload is kept at this share of the target delay, so that few delays exceed the target. */
const AIM = 0.5
/** During an overload, a turn of the loop serves requests for this share of the target. */
const TURN_SHARE = 0.5
/** Bounds of one step: down as for a delay of at most twice the target, up in about a second. */
const DOWN_MOST = 0.5
const UP = 1.15
const UP_LEAST = 0.005

export class Admission {
  #targetMs: number
  /** Time since when the loop has been late without a break. */
  #lateSince: number | undefined
  /** Time when requests were last refused. */
  #refusedAt = -Infinity
  /** Share of requests served. */
  #share = 1
  /** Sum of the shares of requests; when it reaches 1, a request is served. */
  #credit = 0
  /** Requests still served before the next measurement, whatever the share. */
  #free = FLOOR
  #refused = 0

  /** `targetMs`: the target delay; 0: nothing is refused. */
  constructor(targetMs: number) {
    this.#targetMs = targetMs
  }

  /** Another target delay from now on; 0: nothing is refused. */
  aimAt(targetMs: number): void {
    this.#targetMs = targetMs
    if (targetMs === 0) this.#share = 1
  }

  /** Takes a measurement of the delay. */
  sample(delayMs: number, nowMs: number): void {
    if (this.#targetMs === 0) return
    this.#free = FLOOR
    if (this.#share < 1) this.#refusedAt = nowMs
    const known = nowMs - this.#refusedAt < KNOWN_MS
    const aim = known ? this.#targetMs * AIM : this.#targetMs
    if (delayMs <= aim) {
      this.#lateSince = undefined
      this.#share = Math.min(1, this.#share * UP + UP_LEAST)
      return
    }
    this.#lateSince ??= nowMs
    if (!known && nowMs - this.#lateSince < INTERVAL_MS) return
    this.#share = Math.max(SHARE_MIN, this.#share * Math.max(DOWN_MOST, aim / delayMs))
  }

  /** Whether requests are refused now. */
  get shedding(): boolean {
    return this.#share < 1
  }

  /** Share of requests refused. */
  get refusedShare(): number {
    return 1 - this.#share
  }

  /** Requests refused so far. */
  get refused(): number {
    return this.#refused
  }

  /** Whether to serve the new request; `turnMs`: duration of this turn of the loop so far. */
  admits(turnMs = 0): boolean {
    if (this.#share === 1) return true
    if (this.#free > 0) {
      this.#free -= 1
      return true
    }
    if (turnMs < this.#targetMs * TURN_SHARE) {
      this.#credit += this.#share
      if (this.#credit >= 1) {
        this.#credit -= 1
        return true
      }
    }
    this.#refused += 1
    return false
  }
}
