// Admission by measured delay: while the event loop is late for long, a share of the requests for data is refused, so that the
// others are served in time. No clock of its own: whoever measures says when.

/** How long the loop has to be late before anything is refused; a single pause is no overload. */
const INTERVAL_MS = 200
/** An overload that ended so recently is still known: when the loop is late again, requests are refused at once. */
const KNOWN_MS = 2000
/** Requests that are served after each measurement whatever the share: few callers are never the overload. */
const FLOOR = 16
/** A share that served nothing could not find out that it is too small. */
const SHARE_MIN = 0.02
/** An overload is held to this share of the target, so that few delays go beyond the target itself. */
const AIM = 0.5
/** While requests are refused, a turn of the loop serves them for this share of the target; sockets that are ready together end one turn. */
const TURN_SHARE = 0.5
/** Of one step: down no faster than the delay of a loop that is twice too late asks for, up in about a second. */
const DOWN_MOST = 0.5
const UP = 1.15
const UP_LEAST = 0.005

export class Admission {
  readonly #targetMs: number
  /** Since when the loop has been late without a break. */
  #lateSince: number | undefined
  /** When requests were last being refused. */
  #refusedAt = -Infinity
  /** The share of requests that is served. */
  #share = 1
  /** What the shares of requests add up to: one is served when it is whole. */
  #credit = 0
  /** Requests that may still be served before the next measurement, whatever the share. */
  #free = FLOOR
  #refused = 0

  /** `targetMs`: the delay that is aimed at; 0: nothing is refused. */
  constructor(targetMs: number) {
    this.#targetMs = targetMs
  }

  /** Takes a measurement: how late the loop came to it. */
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

  /** Whether requests are being refused. */
  get shedding(): boolean {
    return this.#share < 1
  }

  /** The share of requests that is refused. */
  get refusedShare(): number {
    return 1 - this.#share
  }

  /** Requests that were refused so far. */
  get refused(): number {
    return this.#refused
  }

  /** Whether the request that has come is to be served; `turnMs`: how long this turn of the loop has gone on. */
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
