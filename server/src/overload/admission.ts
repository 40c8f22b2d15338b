// Admission control by measured delay: if the event loop stays late, requests for data are refused, so that the others are
// served in time. It has no clock: the caller passes the time.
//
// While requests are refused, a turn of the loop serves requests for a part of the target delay, and refuses the rest. If
// the loop is late all the same, only a share of the requests is served.

/** How long the loop must be late before requests are refused; a single pause is not an overload. */
const INTERVAL_MS = 200
/** If the last overload ended within this time and the loop is late again, requests are refused at once. */
const KNOWN_MS = 2000
/** An overload lasts until no request was refused for so long. */
const QUIET_MS = 1000
/** Requests always served after each measurement: a few callers are never the overload. */
const FLOOR = 16
/** Least share served: with none, it could never find out that the share is too small. */
const SHARE_MIN = 0.02
/** During an overload, a turn of the loop serves requests for this share of the target. */
const TURN_SHARE = 0.5
/** Bounds of one step: down as for a delay of at most twice the target, up in about a second. */
const DOWN_MOST = 0.5
const UP = 1.15
const UP_LEAST = 0.005
/** The refused share is that of the last one to two times this, and of so many requests at least. */
const TOLD_MS = 1000
const TOLD_LEAST = 20

export class Admission {
  #targetMs: number
  /** Time since when the loop has been late without a break. */
  #lateSince: number | undefined
  /** Time when a request was last refused. */
  #refusedAt = -Infinity
  /** Time of the last overload. */
  #overAt = -Infinity
  /** Share of requests served, of those that fit into a turn. */
  #share = 1
  /** Sum of the shares of requests; when it reaches 1, a request is served. */
  #credit = 0
  /** Requests still served before the next measurement, whatever the share. */
  #free = FLOOR
  #shedding = false
  #refused = 0
  /** Since the last measurement. */
  #lately = { asked: 0, refused: 0 }
  /** What the refused share is told of: what has come since a moment, and in the time before it. */
  #told = { sinceMs: -Infinity, asked: 0, refused: 0 }
  #before = { asked: 0, refused: 0 }

  /** `targetMs`: the target delay; 0: nothing is refused. */
  constructor(targetMs: number) {
    this.#targetMs = targetMs
  }

  /** Another target delay from now on; 0: nothing is refused. */
  aimAt(targetMs: number): void {
    this.#targetMs = targetMs
    if (targetMs > 0) return
    this.#share = 1
    this.#shedding = false
  }

  /** Takes a measurement of the delay. */
  sample(delayMs: number, nowMs: number): void {
    if (this.#targetMs === 0) return
    this.#free = FLOOR
    const { asked, refused } = this.#lately
    this.#lately = { asked: 0, refused: 0 }
    this.#count(asked, refused, nowMs)
    if (refused > 0) this.#refusedAt = nowMs
    if (this.#share < 1 || refused > 0) this.#overAt = nowMs
    const known = nowMs - this.#overAt < KNOWN_MS
    if (delayMs <= this.#targetMs) {
      this.#lateSince = undefined
      this.#share = Math.min(1, this.#share * UP + UP_LEAST)
    } else {
      this.#lateSince ??= nowMs
      if (known || nowMs - this.#lateSince >= INTERVAL_MS)
        this.#share = Math.max(SHARE_MIN, this.#share * Math.max(DOWN_MOST, this.#targetMs / delayMs))
    }
    this.#shedding = this.#share < 1 || nowMs - this.#refusedAt < QUIET_MS
  }

  /** Whether requests are refused now. */
  get shedding(): boolean {
    return this.#shedding
  }

  /** Share of the requests of the last moments that were refused; 0 if there were too few to tell. */
  get refusedShare(): number {
    const asked = this.#before.asked + this.#told.asked
    return this.#shedding && asked >= TOLD_LEAST ? (this.#before.refused + this.#told.refused) / asked : 0
  }

  #count(asked: number, refused: number, nowMs: number): void {
    const ageMs = nowMs - this.#told.sinceMs
    if (ageMs >= TOLD_MS) {
      this.#before = ageMs < 2 * TOLD_MS ? this.#told : { asked: 0, refused: 0 }
      this.#told = { sinceMs: nowMs, asked: 0, refused: 0 }
    }
    this.#told.asked += asked
    this.#told.refused += refused
  }

  /** Requests refused so far. */
  get refused(): number {
    return this.#refused
  }

  /**
   * Whether to serve the request. `turnMs`: duration of this turn of the loop so far. `waitedMs`: how long the request has
   * waited for others of its connection. One that has waited for longer than the target is refused: who is served is in time.
   */
  admits(turnMs = 0, waitedMs = 0): boolean {
    if (!this.#shedding) return true
    this.#lately.asked += 1
    if (this.#takes(turnMs, waitedMs)) return true
    this.#lately.refused += 1
    this.#refused += 1
    return false
  }

  #takes(turnMs: number, waitedMs: number): boolean {
    if (waitedMs > this.#targetMs) return false
    if (this.#free > 0) {
      this.#free -= 1
      return true
    }
    if (turnMs >= this.#targetMs * TURN_SHARE) return false
    this.#credit += this.#share
    if (this.#credit < 1) return false
    this.#credit -= 1
    return true
  }
}
